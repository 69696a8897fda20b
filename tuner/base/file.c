#include "tuner/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/lfs_pointer.h"

enum {
	CHUNK_BYTES = 16384,
	MAX_ATTEMPTS = 1000,
	HIGH_FD = 4000, /* beyond the numbers that careless programs close */
	HIGH_FDS = 64
};

enum asc_status file_fail(struct asc_err *e, const char *verb, const char *path)
{
	static const struct {
		int error;
		enum asc_status status;
	} kinds[] = {{ENOSPC, ASC_FULL},     {EDQUOT, ASC_FULL},      {EFBIG, ASC_FULL},
		     {ENOENT, ASC_NOTFOUND}, {ENOTDIR, ASC_NOTFOUND}, {ENOMEM, ASC_NOMEM}};
	int error = errno;
	enum asc_status status = ASC_IO;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].error == error)
			status = kinds[i].status;
	return asc_err_set(e, status, "cannot %s %s: %s", verb, path, strerror(error));
}

int file_raise(int fd)
{
	const rlim_t enough = HIGH_FD + HIGH_FDS;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return fd;
	if (files.rlim_cur < enough && files.rlim_max >= enough) {
		files.rlim_cur = enough;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	const int lowest = files.rlim_cur > HIGH_FD ? HIGH_FD : (int)files.rlim_cur - 1;
	int raised = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
	if (raised < 0)
		return fd;
	close(fd);
	return raised;
}

/* NULL: a regular file. */
static const char *name_special(mode_t mode)
{
	if (S_ISREG(mode))
		return NULL;
	if (S_ISDIR(mode))
		return "a folder";
	if (S_ISFIFO(mode))
		return "a pipe";
	return S_ISSOCK(mode) ? "a socket" : "a device";
}

const char *file_find_special(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 ? name_special(st.st_mode) : NULL;
}

static enum asc_status read_all(int fd, const char *path, size_t max_bytes, struct buf *out,
				struct asc_err *e)
{
	char chunk[CHUNK_BYTES];
	size_t total = 0;
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return file_fail(e, "read", path);
		if (n == 0)
			return buf_check(out, e);
		/* Counted as it comes: a file may grow while it is read. */
		total += (size_t)n;
		if (max_bytes && total > max_bytes)
			return asc_err_set(e, ASC_LIMIT, "%s is larger than %zu bytes", path,
					   max_bytes);
		buf_add(out, chunk, (size_t)n);
	}
}

enum asc_status file_open(const char *path, int *fd, struct asc_err *e)
{
	struct stat st;

	/* Opens without waiting: a pipe without a writer would block for ever. */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (*fd < 0 || fstat(*fd, &st) != 0)
		return file_fail(e, "read", path);
	return S_ISREG(st.st_mode) ? ASC_OK
				   : asc_err_set(e, ASC_IO, "cannot read %s: it is %s", path,
						 name_special(st.st_mode));
}

enum asc_status file_read(const char *path, size_t max_bytes, struct buf *out, struct asc_err *e)
{
	size_t before = out->len;
	int fd;
	enum asc_status status = file_open(path, &fd, e);

	if (status == ASC_OK)
		status = read_all(fd, path, max_bytes, out, e);
	if (status == ASC_OK && out->len > before &&
	    lfs_pointer_is(out->data + before, out->len - before))
		status = lfs_pointer_refuse(path, e);
	if (status && out->data) {
		out->len = before;
		out->data[before] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return status;
}

enum asc_status file_read_any(const char *path, size_t max_bytes, struct buf *out,
			      struct asc_err *e)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	enum asc_status status =
		fd < 0 ? file_fail(e, "read", path) : read_all(fd, path, max_bytes, out, e);

	if (fd > STDIN_FILENO)
		close(fd);
	return status;
}

bool file_write_all(int fd, const void *data, size_t n)
{
	const char *next = data;
	while (n > 0) {
		ssize_t written = write(fd, next, n);
		if (written < 0 && errno != EINTR)
			return false;
		if (written > 0) {
			next += written;
			n -= (size_t)written;
		}
	}
	return true;
}

#define TEMPORARY ".asctune-"

/* Locks a new temporary file; false where file_remove_left() has removed it before. A file system
 * without locks has none, and nothing is removed there. */
static bool lock_new(int fd)
{
	struct stat st;

	return (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && fstat(fd, &st) == 0 &&
	       st.st_nlink > 0;
}

/* Opens a new file like mkostemp(), but with the permissions that the umask leaves: others may read
 * results. It is locked. */
static int temporary_open(const char *folder, char **name)
{
	static unsigned counter;
	for (int i = 0; i < MAX_ATTEMPTS; i++) {
		*name = str_print("%s/" TEMPORARY "%ld-%u", folder, (long)getpid(), counter++);
		if (!*name) {
			errno = ENOMEM;
			return -1;
		}
		int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if ((fd >= 0 && lock_new(fd)) || (fd < 0 && errno != EEXIST))
			return fd;
		if (fd >= 0)
			close(fd);
		free(*name);
		*name = NULL;
	}
	return -1;
}

/* True for a name that temporary_open() gives. */
static bool is_temporary(const char *name)
{
	static const char digits[] = "0123456789";

	if (strncmp(name, TEMPORARY, sizeof TEMPORARY - 1) != 0)
		return false;
	const char *pid = name + sizeof TEMPORARY - 1, *dash = pid + strspn(pid, digits);

	return dash > pid && *dash == '-' && dash[1] && !dash[1 + strspn(dash + 1, digits)];
}

void file_remove_left(const char *path)
{
	char *real = realpath(path, NULL), *folder = path_folder(real ? real : path);
	DIR *d = folder ? opendir(folder) : NULL;

	for (struct dirent *entry; d && (entry = readdir(d));) {
		struct stat st;
		/* Locks of some file systems need the right to write. */
		int fd = is_temporary(entry->d_name)
				 ? openat(dirfd(d), entry->d_name,
					  O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
				 : -1;

		if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		    st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
			(void)unlinkat(dirfd(d), entry->d_name, 0);
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
	free(folder);
	free(real);
}

/* Writes all bytes to a new file and closes it; `mode` is that of the file to be replaced, or 0.
 * Sets errno. */
static bool fill(int fd, mode_t mode, const void *data, size_t n)
{
	bool ok = fd >= 0 && file_write_all(fd, data, n) && (mode == 0 || fchmod(fd, mode) == 0);
	int error = errno;
	if (fd >= 0 && close(fd) != 0 && ok) {
		error = errno;
		ok = false;
	}
	errno = error;
	return ok;
}

/* `mode` as in fill(). Sets errno. */
static bool replace(const char *path, mode_t mode, const void *data, size_t n)
{
	char *folder = path_folder(path), *name = NULL;
	int fd = folder ? temporary_open(folder, &name) : -1;
	/* Keeps the lock, which all copies of a descriptor share, until the file has its name. */
	int lock = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	bool ok = fill(fd, mode, data, n) && rename(name, path) == 0;
	int error = errno; /* of the failure, which unlink() and free() may change */
	if (fd >= 0 && !ok)
		unlink(name);
	if (lock >= 0)
		close(lock);
	free(name);
	free(folder);
	errno = error;
	return ok;
}

enum asc_status file_write_staged(int folder, const char *name, const char *path, const void *data,
				  size_t n, struct asc_err *e)
{
	struct stat st;
	mode_t mode = stat(path, &st) == 0 ? st.st_mode & 0777 : 0;
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	enum asc_status status = fill(fd, mode, data, n) ? ASC_OK : file_fail(e, "write", path);

	if (fd >= 0 && status)
		(void)unlinkat(folder, name, 0);
	return status;
}

/* Writes to devices and pipes (`-o /dev/null`) directly; a rename would put a file in their place.
 */
static bool write_through(const char *path, const void *data, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && file_write_all(fd, data, n);
	int error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return ok;
}

enum asc_status file_write(const char *path, const void *data, size_t n, struct asc_err *e)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode))
		return asc_err_set(e, ASC_IO, "cannot write %s: it is a folder", path);
	if (exists && !S_ISREG(st.st_mode))
		return write_through(path, data, n) ? ASC_OK : file_fail(e, "write", path);
	/* Resolves a link, so that the file that it names is replaced. */
	char *target = exists ? realpath(path, NULL) : NULL;
	bool ok = replace(target ? target : path, exists ? st.st_mode & 0777 : 0, data, n);
	enum asc_status status = ok ? ASC_OK : file_fail(e, "write", path);
	free(target);
	return status;
}

enum asc_status file_replace(const char *path, const void *data, size_t n, struct asc_err *e)
{
	return replace(path, 0, data, n) ? ASC_OK : file_fail(e, "write", path);
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool file_is_same(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Descriptors that are closed where nothing lists those that are open: as many as a process may
 * have by default. */
enum { MOST_DESCRIPTORS = 1024 };

void file_close_from(int first)
{
	_Alignas(struct dirent) char entries[2048];
	long n = 0;

	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0)
		return;
	/* Linux before 5.9. Not opendir(), which allocates. */
	const int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (folder >= 0 && (n = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
		const struct dirent *d;

		for (long at = 0; at < n; at += d->d_reclen) {
			d = (const void *)(entries + at);
			/* "." and ".." are no numbers: 0. */
			const int fd = (int)strtol(d->d_name, NULL, 10);

			if (fd >= first && fd != folder && d->d_name[0] != '.')
				(void)close(fd);
		}
	}
	for (int fd = first; (folder < 0 || n < 0) && fd < MOST_DESCRIPTORS; fd++)
		(void)close(fd);
	if (folder >= 0)
		(void)close(folder);
}

char *path_join(const char *folder, const char *name)
{
	if (!folder || !*folder || name[0] == '/')
		return str_dup(name);
	bool ended = folder[strlen(folder) - 1] == '/';
	return str_print("%s%s%s", folder, ended ? "" : "/", name);
}

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
	char *copy = str_dup(path); /* dirname() writes into its argument */
	char *folder = copy ? str_dup(dirname(copy)) : NULL;
	free(copy);
	return folder;
}

char *path_absolute(const char *path, struct asc_err *e)
{
	char *absolute = realpath(path, NULL);
	if (!absolute)
		(void)file_fail(e, "find", path);
	return absolute;
}

bool path_is_within(const char *path, const char *folder)
{
	char *target = realpath(path, NULL);
	size_t n = strlen(folder);
	bool within = target && strncmp(target, folder, n) == 0 &&
		      (target[n] == '/' || target[n] == '\0' || (n == 1 && *folder == '/'));

	free(target);
	return within;
}
