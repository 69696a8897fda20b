#include "tuner/base/toolkit.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { N_PLACES = 3 };

/* Where toolkits lie; NULL where the environment does not say. */
static const char *get_place(size_t i)
{
	static const char *const variables[N_PLACES] = {"CUDA_HOME", "CUDA_PATH", NULL};
	const char *value = variables[i] ? getenv(variables[i]) : "/usr/local/cuda";

	return value && *value ? value : NULL;
}

static enum asc_status open_in(const char *folder, const struct toolkit_library *l, void *table,
			       struct asc_err *e)
{
	enum asc_status s = ASC_ABSENT;

	for (size_t i = 0; l->files[i] && s == ASC_ABSENT; i++) {
		char *path = path_join(folder, l->files[i]);
		s = path ? library_open(path, l->symbols, table, e) : asc_err_nomem(e);
		free(path);
	}
	return s;
}

static enum asc_status open_somewhere(const struct toolkit_library *l, void *table,
				      struct asc_err *e)
{
	enum asc_status s = open_in("", l, table, e);

	for (size_t i = 0; i < N_PLACES && s == ASC_ABSENT; i++) {
		char *folder = get_place(i) ? path_join(get_place(i), "lib64") : NULL;
		if (folder)
			s = open_in(folder, l, table, e);
		free(folder);
	}
	return s;
}

enum asc_status toolkit_open(const struct toolkit_library *l, void *table, struct asc_err *e)
{
	const char *named = getenv(l->variable);
	struct asc_err other;

	if (named && *named)
		return library_open(named, l->symbols, table, e);
	if (open_somewhere(l, table, &other) == ASC_OK)
		return ASC_OK;
	/* Not found: the first name says most, in the words that say where it was looked for. */
	return library_open(l->files[0], l->symbols, table, e);
}

/* Takes `folder`, a heap string or NULL; gives it back if headers are in it. */
static char *take_headers(char *folder)
{
	char *header = folder ? path_join(folder, "cuda_fp16.h") : NULL;
	bool there = header && file_exists(header);

	free(header);
	if (there)
		return folder;
	free(folder);
	return NULL;
}

char *toolkit_include(const char *file)
{
	char *folder = path_folder(file);
	char *found = folder ? take_headers(path_join(folder, "../include")) : NULL;

	for (size_t i = 0; i < N_PLACES && !found; i++)
		if (get_place(i))
			found = take_headers(path_join(get_place(i), "include"));
	free(folder);
	return found;
}
