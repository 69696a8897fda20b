#include "tuner/device/libs/library.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum asc_status library_open(const char *file, const struct library_symbol *symbols, void *table,
			     struct asc_err *e)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		const char *words = dlerror();
		return asc_err_set(e, ASC_ABSENT, "%s", words ? words : file);
	}
	for (; symbols->name; symbols++) {
		/* A preloaded library goes first, as it does for programs linked with the
		 * library: a profiler stands between in this way. */
		void *symbol = dlsym(RTLD_DEFAULT, symbols->name);

		if (!symbol)
			symbol = dlsym(handle, symbols->name);
		if (!symbol && !symbols->optional) {
			dlclose(handle);
			return asc_err_set(e, ASC_ABSENT, "%s: has no function %s", file,
					   symbols->name);
		}
		/* C has no cast from object to function. */
		memcpy((char *)table + symbols->offset, &symbol, sizeof symbol);
	}
	return ASC_OK;
}

enum asc_status library_examine(const char *file, const struct library_symbol *symbols,
				struct buf *missing, struct asc_err *e)
{
	static const struct library_symbol none[] = {{0}};
	void *handle = NULL;

	/* Opened whatever it lacks, then again for a handle: library_open() keeps its own. */
	if (library_open(file, none, NULL, e))
		return e->status;
	handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	for (; handle && symbols && symbols->name; symbols++)
		if (!dlsym(handle, symbols->name))
			buf_print(missing, symbols->optional ? "%s(%s)" : "%s%s",
				  missing->len ? ", " : "", symbols->name);
	return buf_check(missing, e);
}

/* ---- what the process has loaded ---- */

bool library_is(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	const size_t n = strlen(name);

	/* Wheels rename libraries that they bring: a dash and a digest. */
	return strncmp(file, name, n) == 0 && (file[n] == '.' || file[n] == '-') &&
	       strstr(file + n, ".so");
}

struct search {
	const char *name, *found;
	size_t left; /* libraries that come before the one that is wanted */
};

static int find_loaded(struct dl_phdr_info *info, size_t size, void *user)
{
	struct search *s = user;

	(void)size;
	if (!info->dlpi_name || !library_is(info->dlpi_name, s->name) || s->left-- > 0)
		return 0;
	s->found = info->dlpi_name;
	return 1;
}

const char *library_find_loaded(const char *name, size_t i)
{
	struct search s = {.name = name, .left = i};

	(void)dl_iterate_phdr(find_loaded, &s);
	return s.found;
}

/* ---- once in a process ---- */

/* Opens the first file that `folder` has. Its error is about the last file that exists, else about
 * the usual name. */
static enum asc_status open_in(const struct library *l, const char *folder, struct asc_err *e)
{
	enum asc_status s = ASC_ABSENT;
	struct asc_err none;

	for (size_t i = 0; l->files[i] && s == ASC_ABSENT; i++) {
		const bool is_usual = l->usual ? strcmp(l->files[i], l->usual) == 0 : i == 0;
		char *path = path_join(folder, l->files[i]);

		if (!path)
			return asc_err_nomem(e);
		s = library_open(path, l->symbols, l->table,
				 is_usual || file_exists(path) ? e : &none);
		free(path);
	}
	return s;
}

static enum asc_status open_somewhere(const struct library *l, struct asc_err *e)
{
	enum asc_status s = open_in(l, "", e);

	for (size_t i = 0; l->toolkit && l->toolkit->places[i] && s == ASC_ABSENT; i++) {
		char *folder;

		if (toolkit_folder(l->toolkit, i, "lib64", &folder, e))
			return e->status;
		if (folder)
			s = open_in(l, folder, e);
		free(folder);
	}
	return s;
}

static const char *find_named(const char *variable)
{
	const char *named = variable ? getenv(variable) : NULL;

	return named && *named ? named : NULL;
}

/* Opens the first file that is found. When none is, the failure of the first name says most: where
 * the loader looked. */
static enum asc_status open_file(const struct library *l, struct asc_err *e)
{
	const char *file = find_named(l->variable);
	const char *loaded = l->loaded ? library_find_loaded(l->loaded, 0) : NULL;
	const char *folder = find_named(l->toolkit ? l->toolkit->variable : NULL);
	struct asc_err first;

	if (file)
		return library_open(file, l->symbols, l->table, e);
	if (loaded)
		return library_open(loaded, l->symbols, l->table, e);
	if (folder) {
		/* The one that is named, and no other: results would be another installation's. */
		char *libraries = path_join(folder, "lib64");
		const enum asc_status s = libraries ? open_in(l, libraries, e) : asc_err_nomem(e);

		free(libraries);
		return s;
	}
	const enum asc_status s = open_somewhere(l, e);

	if (s != ASC_ABSENT)
		return s;
	if (library_open(l->usual ? l->usual : l->files[0], l->symbols, l->table, &first) == ASC_OK)
		return ASC_OK;
	return asc_err_set(e, first.status, "%s%s", first.text, l->advice ? l->advice : "");
}

enum asc_status library_once(struct library *l, struct asc_err *e)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	(void)pthread_mutex_lock(&lock);
	if (!l->tried) {
		/* The environment that the library reads as it is opened. */
		if (l->before)
			l->before();
		l->failure.status = open_file(l, &l->failure);
		if (l->failure.status == ASC_OK && l->begin)
			l->failure.status = l->begin(&l->failure);
		l->tried = l->failure.status != ASC_NOMEM; /* else the next call tries again */
	}
	(void)pthread_mutex_unlock(&lock);
	if (l->failure.status)
		*e = l->failure;
	return l->failure.status;
}

bool library_check(struct library *l, char *reason, size_t size)
{
	struct asc_err e;

	if (library_once(l, &e) == ASC_OK)
		return true;
	snprintf(reason, size, "%s", e.text);
	return false;
}

/* ---- toolkits ---- */

static const char *const cuda_places[] = {"$CUDA_HOME", "$CUDA_PATH", "/usr/local/cuda", NULL};
static const char *const cann_places[] = {"$ASCEND_HOME_PATH", "$ASCEND_TOOLKIT_HOME",
					  "/usr/local/Ascend/ascend-toolkit/latest",
					  "/usr/local/Ascend/cann", NULL};

const struct toolkit toolkit_cuda = {NULL, cuda_places};
const struct toolkit toolkit_cann = {"ASCTUNE_CANN", cann_places};

enum asc_status toolkit_folder(const struct toolkit *t, size_t i, const char *name, char **out,
			       struct asc_err *e)
{
	const char *place = t->places[i];

	*out = NULL;
	if (*place == '$')
		place = find_named(place + 1);
	if (!place)
		return ASC_OK;
	*out = path_join(place, name);
	return *out ? ASC_OK : asc_err_nomem(e);
}

/* Takes `folder`, a heap string, and puts it into *out when headers are in it. */
static enum asc_status take_headers(char *folder, char **out, struct asc_err *e)
{
	char *header = path_join(folder, "cuda_fp16.h");
	const enum asc_status s = header ? ASC_OK : asc_err_nomem(e);

	if (s == ASC_OK && file_exists(header))
		*out = folder;
	else
		free(folder);
	free(header);
	return s;
}

enum asc_status toolkit_include(const char *file, char **out, struct asc_err *e)
{
	char *folder = path_folder(file), *at = folder ? path_join(folder, "../include") : NULL;

	*out = NULL;
	free(folder);
	enum asc_status s = at ? take_headers(at, out, e) : asc_err_nomem(e);

	for (size_t i = 0; cuda_places[i] && !*out && s == ASC_OK; i++) {
		s = toolkit_folder(&toolkit_cuda, i, "include", &at, e);
		if (s == ASC_OK && at)
			s = take_headers(at, out, e);
	}
	return s;
}
