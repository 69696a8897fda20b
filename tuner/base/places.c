#include "tuner/base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/base/owner.h"

static const char *variable(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

/* Makes a folder that may be a link, but of the user's own: what is in it is loaded and run. */
static enum asc_status folder_make(const char *path, struct asc_err *e)
{
	if (owner_check_links(path, e) || dir_make(path, e))
		return e->status;
	char *real = path_absolute(path, e);
	enum asc_status status = real ? owner_check_folder(real, e) : e->status;

	free(real);
	if (status == ASC_OK && access(path, W_OK | X_OK) != 0)
		status = file_fail(e, "write into folder", path);
	return status;
}

/* Finds the user's own cache; *out stays NULL where there is none. The XDG specification has
 * relative paths ignored. */
static enum asc_status user_cache(char **out, struct asc_err *e)
{
	const char *xdg = variable("XDG_CACHE_HOME");
	const char *home = variable("HOME");
	if (xdg && xdg[0] == '/')
		*out = path_join(xdg, "asctune");
	else if (home)
		*out = path_join(home, ".cache/asctune");
	else
		return asc_err_set(e, ASC_NOTFOUND,
				   "neither XDG_CACHE_HOME nor HOME names a folder");
	return *out ? folder_make(*out, e) : asc_err_nomem(e);
}

/* Refuses a folder of another user: others may write into its parent. */
static enum asc_status private_check(const char *path, struct asc_err *e)
{
	struct stat st;
	if (lstat(path, &st) != 0)
		return file_fail(e, "use", path);
	if (S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 07777) == 0700)
		return ASC_OK;
	return asc_err_set(e, ASC_IO,
			   "%s is not a folder of this user alone (mode 0700); remove it or set "
			   "ASCTUNE_CACHE_DIR",
			   path);
}

static enum asc_status private_cache(char **out, struct asc_err *e)
{
	const char *parent = variable("TMPDIR");
	*out = str_print("%s/asctune-%lu", parent ? parent : "/tmp", (unsigned long)geteuid());
	if (!*out)
		return asc_err_nomem(e);
	if (mkdir(*out, 0700) != 0 && errno != EEXIST)
		return file_fail(e, "make folder", *out);
	return private_check(*out, e);
}

static void say_once(const struct asc_err *why, const char *folder)
{
	static bool said;
	if (!said)
		log_print(LOG_NOTE, "%s; cached things go to %s", why->text, folder);
	said = true;
}

static enum asc_status choose_cache(char **out, struct asc_err *e)
{
	const char *wanted = variable("ASCTUNE_CACHE_DIR");
	if (wanted) {
		*out = str_dup(wanted);
		if (!*out)
			return asc_err_nomem(e);
		enum asc_status status = folder_make(*out, e);
		return status ? asc_err_wrap(e, "ASCTUNE_CACHE_DIR") : ASC_OK;
	}
	enum asc_status status = user_cache(out, e);
	if (status == ASC_OK || status == ASC_NOMEM)
		return status;
	struct asc_err why = *e;
	free(*out);
	status = private_cache(out, e);
	if (status == ASC_OK)
		say_once(&why, *out);
	return status;
}

enum asc_status places_cache(char **out, struct asc_err *e)
{
	char *folder = NULL;
	enum asc_status status = choose_cache(&folder, e);
	*out = NULL;
	if (status == ASC_OK) {
		/* Makes the path absolute: compilers run in folders of their own. */
		*out = path_absolute(folder, e);
		status = *out ? ASC_OK : e->status;
	}
	free(folder);
	return status;
}
