/* The part of file.h that makes and removes folders. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"

enum { LINK_BYTES = 40 };

static enum asc_status make(const char *path, mode_t mode, struct asc_err *e)
{
	struct stat st;
	int first = 0; /* errno of the first folder that is not there and could not be made */
	char *prefix = str_dup(path);
	if (!prefix)
		return asc_err_nomem(e);
	for (char *slash = prefix; *slash && (slash = strchr(slash + 1, '/')) != NULL;) {
		*slash = '\0';
		if (mkdir(prefix, mode) != 0 && errno != EEXIST && !first)
			first = errno; /* only the last folder decides */
		*slash = '/';
	}
	free(prefix);
	if (mkdir(path, mode) == 0)
		return ASC_OK;
	if (errno == ENOENT && first)
		errno = first;
	if (errno != EEXIST)
		return file_fail(e, "make folder", path);
	if (stat(path, &st) != 0)
		return file_fail(e, "find", path);
	if (S_ISDIR(st.st_mode))
		return ASC_OK;
	return asc_err_set(e, ASC_IO, "cannot make folder %s: a file of this name is there", path);
}

enum asc_status dir_make(const char *path, struct asc_err *e)
{
	return make(path, 0700, e);
}

enum asc_status dir_make_public(const char *path, struct asc_err *e)
{
	return make(path, 0777, e);
}

enum asc_status dir_make_scratch(const char *name, char **out, struct asc_err *e)
{
	const char *parent = getenv("TMPDIR");

	*out = str_print("%s/%s-XXXXXX", parent && *parent ? parent : "/tmp", name);
	if (!*out)
		return asc_err_nomem(e);
	if (mkdtemp(*out))
		return ASC_OK;
	file_fail(e, "make folder", *out);
	free(*out);
	*out = NULL;
	return e->status;
}

bool dir_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- removal ---- */

/* Opens a folder that is no link, and gives its owner the rights to empty and to move it; -1: it is
 * none. */
static int open_any(int at, const char *name)
{
	const int place = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char link[LINK_BYTES];
	struct stat st;

	if (place < 0)
		return -1;
	if (fstat(place, &st) == 0 && (st.st_mode & S_IRWXU) != S_IRWXU) {
		/* fchmod() takes no descriptor that was opened for a folder's place alone. */
		(void)snprintf(link, sizeof link, "/proc/self/fd/%d", place);
		(void)chmod(link, S_IRWXU);
	}
	const int folder = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	close(place);
	return folder;
}

/* Goes through the entries of a folder, takes the descriptor, and removes all but folders that have
 * something in them: `go_on` is for those. True where something was removed or moved. */
static bool remove_entries(int folder, bool (*go_on)(int folder, const char *name, void *user),
			   void *user)
{
	DIR *d = fdopendir(folder);
	bool changed = false;

	if (!d)
		close(folder);
	for (struct dirent *entry; d && (entry = readdir(d));) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		changed |= unlinkat(folder, name, 0) == 0 ||
			   unlinkat(folder, name, AT_REMOVEDIR) == 0 || go_on(folder, name, user);
	}
	if (d)
		closedir(d);
	return changed;
}

struct removal {
	int top;      /* the folder that is removed */
	size_t moved; /* folders so far: names in it */
};

/* Moves a folder up to the one that is removed: a tree of any depth needs neither a descriptor nor
 * a longer path for each level. */
static bool move_up(int folder, const char *name, void *user)
{
	struct removal *r = user;
	const int opened = open_any(folder, name);
	char number[LINK_BYTES];

	if (opened < 0)
		return false;
	close(opened);
	do {
		(void)snprintf(number, sizeof number, "%zu", r->moved++);
		if (renameat(folder, name, r->top, number) == 0)
			return true;
	} while (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR); /* a name in use */
	return false;
}

static bool empty(int top, const char *name, void *user)
{
	const int folder = open_any(top, name);

	return folder >= 0 && remove_entries(folder, move_up, user);
}

void dir_remove(const char *path)
{
	/* A tree needs no more passes than it has levels; a process that goes on making files
	 * would have this one remove them for ever. */
	enum { MAX_PASSES = 10000 };
	struct removal r = {.top = path ? open_any(AT_FDCWD, path) : -1};
	int passes = 0, entries;

	do
		entries = r.top >= 0 ? openat(r.top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	while (entries >= 0 && remove_entries(entries, empty, &r) && ++passes < MAX_PASSES);
	if (r.top >= 0)
		close(r.top);
	if (path && remove(path) != 0 && passes == MAX_PASSES)
		log_print(LOG_WARN, "%s is not removed: there is something in it again each time",
			  path);
}
