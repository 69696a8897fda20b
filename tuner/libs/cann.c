#include "tuner/libs/cann.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/libs/library.h"

const char *cann_chosen(void)
{
	const char *folder = getenv(toolkit_cann.variable);

	return folder && *folder ? folder : NULL;
}

/* True when `folder` has one of the files, NULL-terminated; `folder` NULL: false. */
static bool has_one(const char *folder, const char *const *files)
{
	bool found = false;

	for (size_t i = 0; folder && files[i] && !found; i++) {
		char *path = path_join(folder, files[i]);

		found = path && file_exists(path);
		free(path);
	}
	return found;
}

enum asc_status cann_libraries(const char *folder, char **out, struct asc_err *e)
{
	static const char *const runtimes[] = {"libascendcl.so", "libacl_rt.so", NULL};

	*out = path_join(folder, "lib64");
	if (!*out)
		return asc_err_nomem(e);
	if (has_one(*out, runtimes))
		return ASC_OK;
	free(*out);
	*out = NULL;
	return asc_err_set(e, ASC_ABSENT,
			   "%s: no CANN is there: its lib64 has neither libascendcl.so nor "
			   "libacl_rt.so",
			   folder);
}

/* Finds the first folder of libraries of an installation that has the file; *out NULL: none. */
static enum asc_status find_usual(const char *const *files, char **out, struct asc_err *e)
{
	*out = NULL;
	for (size_t i = 0; toolkit_cann.places[i] && !*out; i++) {
		char *folder;

		if (toolkit_folder(&toolkit_cann, i, "lib64", &folder, e))
			return e->status;
		if (has_one(folder, files))
			*out = folder;
		else
			free(folder);
	}
	return ASC_OK;
}

enum asc_status cann_find_library(const char *folder, const char *file, char **out,
				  struct asc_err *e)
{
	const char *const files[] = {file, NULL};
	char *libraries = NULL;

	*out = NULL;
	if (folder ? cann_libraries(folder, &libraries, e) : find_usual(files, &libraries, e))
		return e->status;
	const bool found = has_one(libraries, files);

	if (found)
		*out = path_join(libraries, file);
	free(libraries);
	return !found || *out ? ASC_OK : asc_err_nomem(e);
}

/* ---- the stand-in ---- */

/* Folder of this program's executable, a heap string; NULL: unknown, or no memory. */
static char *find_own_folder(void)
{
	char path[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	return path_folder(path);
}

/* The program lies beside the stand-in in a build, its tests lie in a folder beside it. */
enum asc_status cann_find_standin(char **out, struct asc_err *e)
{
	static const char *const places[] = {"standin/head", "../standin/head",
					     ASCTUNE_STANDIN "/head", NULL};
	char *own = find_own_folder();
	struct asc_err other;

	*out = NULL;
	for (size_t i = 0; places[i] && !*out; i++) {
		char *folder = path_join(own, places[i]), *libraries = NULL;

		if (folder && cann_libraries(folder, &libraries, &other) == ASC_OK)
			*out = folder;
		else
			free(folder);
		free(libraries);
	}
	free(own);
	return *out ? ASC_OK
		    : asc_err_set(e, ASC_ABSENT, "the stand-in of CANN is not installed in %s",
				  ASCTUNE_STANDIN);
}
