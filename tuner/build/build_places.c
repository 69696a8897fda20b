#include "tuner/build/build_places.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"
#include "tuner/process/sandbox.h"

/* The part of a word that may be a path: `FILE`, `@FILE`, `-IFOLDER`, `--sysroot=FOLDER`,
 * `-isystem/FOLDER`; NULL: none. */
static const char *find_path(const char *word)
{
	if (word[0] == '@')
		return word + 1;
	if (word[0] != '-')
		return word;
	if (word[1] && strchr("ILB", word[1]) && word[2])
		return word + 2;
	const char *value = strchr(word, '=');
	return value ? value + 1 : strpbrk(word, "/.");
}

static bool is_listed(const struct build_places *p, const char *path)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->list[i], path) == 0)
			return true;
	return false;
}

/* The next path from word *at on that is to be listed, or NULL. */
static const char *find_next(const struct build_places *p, const struct build_command *c,
			     const char *scratch, size_t *at)
{
	for (; *at < c->argc; ++*at) {
		const char *path = find_path(c->argv[*at]);

		if (path && *path && (!*scratch || strncmp(path, scratch, strlen(scratch)) != 0) &&
		    file_exists(path) && !sandbox_is_granted(path) && !is_listed(p, path))
			return path;
	}
	return NULL;
}

enum asc_status build_places_add(struct build_places *p, const struct build_command *c,
				 const char *scratch, struct asc_err *e)
{
	size_t at = 0;

	for (const char *path; (path = find_next(p, c, scratch, &at)) != NULL; at++) {
		if (!array_room(&p->list, p->n + 1, &p->capacity, sizeof *p->list))
			return asc_err_nomem(e);
		p->list[p->n] = str_dup(path);
		if (!p->list[p->n])
			return asc_err_nomem(e);
		p->list[++p->n] = NULL;
	}
	return ASC_OK;
}

void build_places_fini(struct build_places *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->list[i]);
	free(p->list);
	*p = (struct build_places){0};
}
