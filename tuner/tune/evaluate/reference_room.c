#include "tuner/tune/evaluate/reference_room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/worker/reference.h"

static const int64_t MB = 1000000;

enum { DEFAULT_MB = 10000, MOST_MB = 1000000000 };

enum asc_status reference_room_read(int64_t *most_bytes, struct asc_err *e)
{
	const char *text = getenv(REFERENCE_ROOM_VARIABLE);
	uint64_t mb = DEFAULT_MB;

	if (text && *text && (!units_parse_count(text, &mb) || mb > MOST_MB))
		return asc_err_set(e, ASC_USAGE,
				   REFERENCE_ROOM_VARIABLE
				   ": expected megabytes from 1 to %d, not \"%s\"",
				   MOST_MB, text);
	*most_bytes = (int64_t)mb * MB;
	return ASC_OK;
}

/* ---- references in use ---- */

/* Locks a file against removal, or, to remove it, against use. Where the file system has no locks
 * the one is as good as the other: a reference that is gone is computed again. */
static bool lock(int fd, short type)
{
	struct flock all = {.l_type = type, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &all) == 0 || (errno != EAGAIN && errno != EACCES);
}

void reference_room_hold(struct reference_holds *h, const char *cache,
			 const struct reference_key *k)
{
	char *path = reference_path(cache, k);
	const int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	struct stat st;

	free(path);
	/* Looked at behind the lock: another process may have removed it before. */
	if (fd >= 0 && h->n < WORKLOAD_MAX_SETS && lock(fd, F_RDLCK) && fstat(fd, &st) == 0 &&
	    st.st_nlink > 0) {
		(void)futimens(fd, NULL);
		h->files[h->n++] = fd;
	} else if (fd >= 0) {
		close(fd);
	}
}

void reference_room_release(struct reference_holds *h)
{
	while (h->n > 0)
		close(h->files[--h->n]);
}

/* ---- room ---- */

struct kept { /* a file among the references */
	char *name;
	int64_t bytes;
	ino_t number;
	struct timespec used;
};

struct listed {
	int folder; /* -1: there is none */
	struct kept *files;
	size_t n, capacity;
	int64_t bytes; /* of all */
};

static void listed_close(struct listed *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->files[i].name);
	free(s->files);
	if (s->folder >= 0)
		close(s->folder);
}

static void add(struct listed *s, const char *name)
{
	struct stat st;
	char *copy;

	if (fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
		return;
	s->bytes += st.st_size;
	copy = str_dup(name);
	if (copy && array_room(&s->files, s->n, &s->capacity, sizeof *s->files))
		s->files[s->n++] = (struct kept){copy, st.st_size, st.st_ino, st.st_mtim};
	else
		free(copy);
}

/* Lists all files of the folder, also those that a process which was killed has left. */
static void listed_open(struct listed *s, const char *cache)
{
	char *path = path_join(cache, "reference");
	const int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	*s = (struct listed){.folder = d ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1};
	for (struct dirent *f; s->folder >= 0 && (f = readdir(d));)
		add(s, f->d_name);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	free(path);
}

/* Names decide among files of one time, so that two processes agree. */
static int compare_used(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Removes a file unless somebody uses it, or has used or replaced it since it was listed. */
static bool remove_unused(const struct listed *s, const struct kept *k)
{
	const int fd = openat(s->folder, k->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	const bool removed = fd >= 0 && lock(fd, F_WRLCK) && fstat(fd, &st) == 0 &&
			     st.st_ino == k->number && st.st_mtim.tv_sec == k->used.tv_sec &&
			     st.st_mtim.tv_nsec == k->used.tv_nsec &&
			     unlinkat(s->folder, k->name, 0) == 0;

	if (fd >= 0)
		close(fd);
	if (removed)
		log_print(LOG_DEBUG, "reference %s makes room", k->name);
	return removed;
}

int64_t reference_room_make(const char *cache, int64_t most_bytes, int64_t needed)
{
	struct listed s;
	struct statvfs disk;
	int64_t free_bytes = most_bytes; /* of the disk */

	listed_open(&s, cache);
	if (statvfs(cache, &disk) == 0)
		free_bytes = (int64_t)(disk.f_bavail * disk.f_frsize);
	if (s.n > 1)
		qsort(s.files, s.n, sizeof *s.files, compare_used);
	for (size_t i = 0; i < s.n; i++) {
		if (s.bytes + needed <= most_bytes && needed <= free_bytes)
			break;
		if (!remove_unused(&s, &s.files[i]))
			continue;
		s.bytes -= s.files[i].bytes;
		free_bytes += s.files[i].bytes;
	}
	const int64_t room = most_bytes - s.bytes < free_bytes ? most_bytes - s.bytes : free_bytes;

	listed_close(&s);
	return room > 0 ? room : 0;
}

void reference_room_count(const char *cache, size_t *n, int64_t *bytes)
{
	struct listed s;

	listed_open(&s, cache);
	*n = s.n;
	*bytes = s.bytes;
	listed_close(&s);
}
