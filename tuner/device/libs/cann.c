#include "tuner/device/libs/cann.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/libs/library.h"

const char *cann_chosen(void)
{
	const char *folder = getenv(toolkit_cann.variable);

	return folder && *folder ? folder : NULL;
}

/* Sets *found when `folder` has one of the files, NULL-terminated. */
static enum asc_status find_one(const char *folder, const char *const *files, bool *found,
				struct asc_err *e)
{
	*found = false;
	for (size_t i = 0; files[i] && !*found; i++) {
		char *path = path_join(folder, files[i]);

		if (!path)
			return asc_err_nomem(e);
		*found = file_exists(path);
		free(path);
	}
	return ASC_OK;
}

enum asc_status cann_libraries(const char *folder, char **out, struct asc_err *e)
{
	static const char *const runtimes[] = {"libascendcl.so", "libacl_rt.so", NULL};
	bool found = false;

	*out = path_join(folder, "lib64");
	if (!*out)
		return asc_err_nomem(e);
	/* Looked for by name: opening it would tie this process to that installation. */
	if (find_one(*out, runtimes, &found, e) == ASC_OK && !found)
		(void)asc_err_set(e, ASC_ABSENT,
				  "%s: no CANN is there: its lib64 has neither libascendcl.so nor "
				  "libacl_rt.so",
				  folder);
	if (found)
		return ASC_OK;
	free(*out);
	*out = NULL;
	return e->status;
}

/* Finds the path of a file in a folder; *out NULL: it is not there. */
static enum asc_status find_in(const char *folder, const char *file, char **out, struct asc_err *e)
{
	char *path = path_join(folder, file);

	*out = NULL;
	if (!path)
		return asc_err_nomem(e);
	if (file_exists(path))
		*out = path;
	else
		free(path);
	return ASC_OK;
}

/* Finds the path of a library in the first installation that has it; *out NULL: none. */
static enum asc_status find_usual(const char *file, char **out, struct asc_err *e)
{
	*out = NULL;
	for (size_t i = 0; toolkit_cann.places[i] && !*out; i++) {
		char *folder;

		if (toolkit_folder(&toolkit_cann, i, "lib64", &folder, e))
			return e->status;
		if (folder && find_in(folder, file, out, e)) {
			free(folder);
			return e->status;
		}
		free(folder);
	}
	return ASC_OK;
}

enum asc_status cann_find_library(const char *folder, const char *file, char **out,
				  struct asc_err *e)
{
	char *libraries = NULL;

	*out = NULL;
	if (!folder)
		return find_usual(file, out, e);
	if (cann_libraries(folder, &libraries, e))
		return e->status;
	const enum asc_status status = find_in(libraries, file, out, e);

	free(libraries);
	return status;
}

/* ---- the stand-in ---- */

/* Sets *out to NAME in `own`, a heap string, where a stand-in is there; NULL: none is. */
static enum asc_status find_at(const char *own, const char *name, char **out, struct asc_err *e)
{
	char *folder = path_join(own, name), *libraries = NULL;
	const enum asc_status status =
		folder ? cann_libraries(folder, &libraries, e) : asc_err_nomem(e);

	free(libraries);
	*out = status == ASC_OK ? folder : NULL;
	if (!*out)
		free(folder);
	return status == ASC_NOMEM ? status : ASC_OK;
}

/* The program lies beside the stand-in in a build, and in `bin` where it is installed; its tests
 * lie in a folder beside the stand-in. */
enum asc_status cann_find_standin(char **out, struct asc_err *e)
{
	static const char *const places[] = {"standin/head", "../standin/head",
					     "../" ASCTUNE_STANDIN "/head", NULL};
	enum asc_status status = ASC_OK;
	char path[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	/* By the link of the process: argv[0] need not be a path. */
	path[n > 0 ? n : 0] = '\0';
	char *own = path_folder(path);

	*out = NULL;
	if (!own)
		return asc_err_nomem(e);
	for (size_t i = 0; places[i] && !*out && status == ASC_OK; i++)
		status = find_at(own, places[i], out, e);
	free(own);
	if (status || *out)
		return status;
	return asc_err_set(e, ASC_ABSENT,
			   "the stand-in of CANN is not installed: there is no ../%s beside this "
			   "program",
			   ASCTUNE_STANDIN);
}
