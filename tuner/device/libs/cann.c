#include "tuner/device/libs/cann.h"

#include <stdlib.h>

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

/* The program lies beside the stand-in in a build, and in `bin` where it is installed; its tests
 * lie in a folder beside the stand-in. */
enum asc_status cann_find_standin(char **out, struct asc_err *e)
{
	static const char *const places[] = {"standin/head/lib64", "../standin/head/lib64",
					     "../" ASCTUNE_STANDIN "/head/lib64", NULL};
	char *libraries;

	*out = NULL;
	if (places_find_own(places, &libraries, e))
		return e->status;
	if (!libraries)
		return asc_err_set(e, ASC_ABSENT,
				   "the stand-in of CANN is not installed: there is no ../%s "
				   "beside this program",
				   ASCTUNE_STANDIN);
	*out = path_folder(libraries);
	free(libraries);
	return *out ? ASC_OK : asc_err_nomem(e);
}
