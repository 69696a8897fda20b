#include "tuner/build/build_places.h"

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

enum asc_status build_places_add(struct build_places *p, const struct build_command *c,
				 const char *scratch, struct asc_err *e)
{
	for (size_t at = 0; at < c->argc; at++) {
		const char *path = find_path(c->argv[at]);
		size_t i = 0;

		/* A place that needs a rule: not in the scratch folder, which the sandbox opens
		 * anyway, and there, since a word may only look like a path. */
		if (!path || !*path || (*scratch && strncmp(path, scratch, strlen(scratch)) == 0) ||
		    !file_exists(path) || sandbox_is_granted(path))
			continue;
		while (i < p->n && strcmp(p->list[i], path) != 0)
			i++;
		if (i < p->n)
			continue;
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
