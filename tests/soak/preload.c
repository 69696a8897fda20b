/* Wrappers that ci/soak preloads into asctune and its children. A file of four integers,
 * $SOAK_CONTROL, says what they do: [0] seconds by which the system's clock is ahead, [1] whether
 * $SOAK_DISK is full: 1 bytes, 2 inodes, which only counts where no small file system can be
 * mounted. Durations (CLOCK_MONOTONIC) stay as they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t idle[4];
static const volatile int64_t *control = idle;
static char disk[4096];

__attribute__((constructor)) static void open_control(void)
{
	const char *file = getenv("SOAK_CONTROL"), *folder = getenv("SOAK_DISK");
	int fd = file ? (int)syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC) : -1;
	void *map = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof idle, PROT_READ, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return;
	snprintf(disk, sizeof disk, "%s", folder ? folder : "");
	control = map;
}

/* ---- the clock ---- */

int clock_gettime(clockid_t clock, struct timespec *t)
{
	long result = syscall(SYS_clock_gettime, clock, t);

	if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		t->tv_sec += control[0];
	return (int)result;
}

time_t time(time_t *out)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return out ? (*out = t.tv_sec) : t.tv_sec;
}

int gettimeofday(struct timeval *out, void *zone)
{
	struct timespec t;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	*out = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
	return 0;
}

/* ---- the disk ---- */

static int is_full(const char *path)
{
	return *disk && path && strncmp(path, disk, strlen(disk)) == 0;
}

static int refuse(void)
{
	errno = ENOSPC;
	return -1;
}

static int no_room(int fd)
{
	char link[32], path[4096];
	ssize_t n;

	if (control[1] != 1)
		return 0;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	return is_full(path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t n)
{
	return no_room(fd) ? refuse() : NEXT(write)(fd, data, n);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
	return no_room(fd) ? refuse() : NEXT(pwrite)(fd, data, n, at);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)
{
	return no_room(fd) ? refuse() : NEXT(pwrite64)(fd, data, n, at);
}

int mkdir(const char *path, mode_t mode)
{
	return control[1] && is_full(path) ? refuse() : NEXT(mkdir)(path, mode);
}

static int refuses_file(const char *path, int flags)
{
	return control[1] && (flags & O_CREAT) && is_full(path) && access(path, F_OK) != 0;
}

#define OPEN(name)                                                                                 \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list list;                                                                      \
		va_start(list, flags);                                                             \
		mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;            \
		va_end(list);                                                                      \
		return refuses_file(path, flags) ? refuse() : NEXT(name)(path, flags, mode);       \
	}
OPEN(open)
OPEN(open64)
