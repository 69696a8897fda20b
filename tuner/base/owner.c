#include "tuner/base/owner.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { MAX_LINKS = 40 };

static bool is_trusted(uid_t owner)
{
	return owner == geteuid() || owner == 0;
}

static bool others_can_write(const struct stat *st)
{
	/* A user's own group, as most systems make it, has no other members. */
	bool own_group = st->st_gid == (gid_t)geteuid() && st->st_gid == getegid();

	return !is_trusted(st->st_uid) || (st->st_mode & S_IWOTH) ||
	       ((st->st_mode & S_IWGRP) && !own_group);
}

static enum asc_status fail_owner(const char *path, const struct stat *st, struct asc_err *e)
{
	return asc_err_set(e, ASC_IO, "%s belongs to user %lu, not to user %lu: it is not used",
			   path, (unsigned long)st->st_uid, (unsigned long)geteuid());
}

/* Looks at a path without following it; *there is false where nothing is. */
static enum asc_status look(const char *path, struct stat *st, bool *there, struct asc_err *e)
{
	*there = lstat(path, st) == 0;
	if (!*there && errno != ENOENT && errno != ENOTDIR)
		return file_fail(e, "look at", path);
	return ASC_OK;
}

enum asc_status owner_check_file(const char *path, struct asc_err *e)
{
	struct stat st;
	bool there;

	if (look(path, &st, &there, e))
		return e->status;
	return !there || is_trusted(st.st_uid) ? ASC_OK : fail_owner(path, &st, e);
}

enum asc_status owner_check_folder(const char *path, struct asc_err *e)
{
	struct stat st;
	bool there;

	if (look(path, &st, &there, e))
		return e->status;
	if (!there)
		return ASC_OK;
	if (!S_ISDIR(st.st_mode))
		return asc_err_set(e, ASC_IO, "%s is %s, not a folder: it is not used", path,
				   S_ISLNK(st.st_mode) ? "a link" : "a file");
	if (!is_trusted(st.st_uid))
		return fail_owner(path, &st, e);
	if (others_can_write(&st))
		return asc_err_set(e, ASC_IO,
				   "%s is writable by others (mode %04o) and is not used; if that "
				   "is a mistake: `chmod go-w`",
				   path, (unsigned)st.st_mode & 07777);
	return ASC_OK;
}

/* ---- links ---- */

static enum asc_status check_parts(const char *path, unsigned links, struct asc_err *e);

/* Checks a link in `folder`, and where it leads. */
static enum asc_status check_link(const char *path, const char *folder, const struct stat *link,
				  unsigned links, struct asc_err *e)
{
	char target[PATH_MAX + 1] = "";
	struct stat st;

	if (stat(folder, &st) != 0 || readlink(path, target, PATH_MAX) < 0)
		return file_fail(e, "follow", path);
	/* In /tmp and its like nobody can replace another's link. */
	if (others_can_write(&st) &&
	    !((st.st_mode & S_ISVTX) && is_trusted(st.st_uid) && is_trusted(link->st_uid)))
		return asc_err_set(e, ASC_IO,
				   "%s is a link in a folder that others can write to: it is not "
				   "followed",
				   path);
	char *next = path_join(folder, target);
	enum asc_status s = next ? check_parts(next, links + 1, e) : asc_err_nomem(e);
	free(next);
	return s;
}

static enum asc_status check_part(const char *path, unsigned links, struct asc_err *e)
{
	struct stat st;
	bool there;

	if (look(path, &st, &there, e))
		return e->status;
	if (!there || !S_ISLNK(st.st_mode))
		return ASC_OK;
	if (links == MAX_LINKS) {
		errno = ELOOP;
		return file_fail(e, "follow", path);
	}
	char *parent = path_folder(path), *folder = parent ? realpath(parent, NULL) : NULL;
	enum asc_status s =
		folder ? check_link(path, folder, &st, links, e) : file_fail(e, "follow", path);
	free(folder);
	free(parent);
	return s;
}

static enum asc_status check_parts(const char *path, unsigned links, struct asc_err *e)
{
	char *part = str_dup(path);
	enum asc_status s = part ? ASC_OK : asc_err_nomem(e);

	for (size_t n = 0; s == ASC_OK && path[n];) {
		n += strspn(path + n, "/");
		n += strcspn(path + n, "/");
		part[n] = '\0';
		s = check_part(part, links, e);
		part[n] = path[n];
	}
	free(part);
	return s;
}

enum asc_status owner_check_links(const char *path, struct asc_err *e)
{
	return check_parts(path, 0, e);
}
