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

static const char wanted_cache[] = "ASCTUNE_CACHE_DIR";

static enum asc_status wanted_cache_name(char **out, struct asc_err *e)
{
	*out = str_dup(variable(wanted_cache));
	return *out ? ASC_OK : asc_err_nomem(e);
}

/* Names the user's own cache; *out stays NULL where there is none. The XDG specification has
 * relative paths ignored. */
static enum asc_status user_cache_name(char **out, struct asc_err *e)
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
	return *out ? ASC_OK : asc_err_nomem(e);
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

static enum asc_status private_cache_name(char **out, struct asc_err *e)
{
	const char *parent = variable("TMPDIR");
	*out = str_print("%s/asctune-%lu", parent ? parent : "/tmp", (unsigned long)geteuid());
	return *out ? ASC_OK : asc_err_nomem(e);
}

/* Chooses and makes the cache, in this order: the folder that is asked for, and no other in its
 * place; the user's own; else, as for users without a home, one of this user alone among the
 * temporary files. */
static enum asc_status choose_cache(char **out, struct asc_err *e)
{
	static bool said;

	if (variable(wanted_cache)) {
		if (wanted_cache_name(out, e))
			return e->status;
		enum asc_status status = folder_make(*out, e);
		return status ? asc_err_wrap(e, "%s", wanted_cache) : ASC_OK;
	}
	if (user_cache_name(out, e) == ASC_OK && folder_make(*out, e) == ASC_OK)
		return ASC_OK;
	if (e->status == ASC_NOMEM)
		return e->status;
	const struct asc_err why = *e;

	free(*out);
	if (private_cache_name(out, e))
		return e->status;
	if (mkdir(*out, 0700) != 0 && errno != EEXIST)
		return file_fail(e, "make folder", *out);
	if (private_check(*out, e))
		return e->status;
	if (!said)
		log_print(LOG_NOTE, "%s; cached things go to %s", why.text, *out);
	said = true;
	return ASC_OK;
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

char *places_secret(const char *cache)
{
	return str_print("%s.secret", cache);
}

/* Sets *out to the real path of a folder that folder_make() would accept as it is. */
static enum asc_status take_usable(char *name, char **out, struct asc_err *e)
{
	char *real = owner_check_links(name, e) ? NULL : path_absolute(name, e);

	if (real && owner_check_folder(real, e) == ASC_OK)
		*out = real;
	else
		free(real);
	return *out || e->status != ASC_NOMEM ? ASC_OK : e->status;
}

enum asc_status places_find_cache(char **out, struct asc_err *e)
{
	enum asc_status (*const names[])(char **, struct asc_err *) = {
		wanted_cache_name, user_cache_name, private_cache_name};
	const bool wanted = variable(wanted_cache) != NULL;
	enum asc_status status = ASC_OK;

	*out = NULL;
	/* The folder that is asked for has no others to stand in for it. */
	for (size_t i = !wanted; i < (wanted ? 1 : 3) && !*out && status != ASC_NOMEM; i++) {
		char *name = NULL;

		status = names[i](&name, e);
		if (status == ASC_OK)
			status = take_usable(name, out, e);
		free(name);
	}
	return status == ASC_NOMEM ? status : ASC_OK;
}

enum asc_status places_program(char **out, struct asc_err *e)
{
	/* The link of the process tells: argv[0] need not be a path. */
	*out = path_absolute("/proc/self/exe", e);
	return *out ? ASC_OK : e->status;
}

enum asc_status places_find_own(const char *const *paths, char **out, struct asc_err *e)
{
	char *program, *folder;
	enum asc_status status = places_program(&program, e);

	*out = NULL;
	/* Without its path the program has nothing of its own. */
	folder = program ? path_folder(program) : NULL;
	status = program && !folder ? asc_err_nomem(e) : status == ASC_NOMEM ? status : ASC_OK;
	for (size_t i = 0; folder && paths[i] && !*out && status == ASC_OK; i++) {
		char *path = path_join(folder, paths[i]);

		if (!path)
			status = asc_err_nomem(e);
		else if (file_exists(path))
			*out = path_absolute(path, e);
		free(path);
	}
	free(folder);
	free(program);
	return status;
}
