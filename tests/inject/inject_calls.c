/* The preloaded library: wrappers of the calls by which processes ask the system for something.
 * What libc does within itself (the writes of stdio) does not pass through them. */
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/inject/inject.h"

static struct inject_state *state; /* NULL: nothing is counted */
static enum inject_process process;

/* ---- the beginning of a process ---- */

static void fork_ended(void)
{
	if (process == INJECT_COORDINATOR)
		process = INJECT_APART;
}

static enum inject_process find_process(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;

	if (argc < 2 || strcmp(slash ? slash + 1 : argv[0], "asctune") != 0)
		return INJECT_OTHER;
	return strcmp(argv[1], "worker") == 0 ? INJECT_WORKER : INJECT_COORDINATOR;
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **envp)
{
	const char *path = getenv("INJECT_STATE");
	void *frames[1], *map = MAP_FAILED;
	/* Not by the names that are wrapped here: what the library itself does is not counted. */
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;

	(void)envp;
	if (fd >= 0) {
		map = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		syscall(SYS_close, fd);
	}
	if (map == MAP_FAILED)
		return;
	process = find_process(argc, argv);
	pthread_atfork(NULL, NULL, fork_ended);
	if (((struct inject_state *)map)->trace)
		(void)backtrace(frames, 1); /* allocates, the first time */
	state = map;
}

/* ---- the end of a process: what a tool for tests does there, such as to write down which lines
 * have run, is not counted ---- */

static int (*program_main)(int argc, char **argv, char **envp);

static void end(void)
{
	state = NULL;
}

static int run_main(int argc, char **argv, char **envp)
{
	(void)atexit(end); /* called before the destructors of the program */
	return program_main(argc, argv, envp);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	__typeof__(&__libc_start_main) real =
		(__typeof__(real))(intptr_t)dlsym(RTLD_NEXT, "__libc_start_main");

	program_main = main;
	return real(run_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- one call ---- */

static void print_callers(void)
{
	struct inject_state *mine = state;
	void *frames[24];

	state = NULL;
	backtrace_symbols_fd(frames, backtrace(frames, 24), STDERR_FILENO);
	state = mine;
}

/* Counts a call; true: it is to fail, and errno is set. */
static bool fails(enum inject_call call)
{
	struct inject_state *s = state;

	if (!s)
		return false;
	long n = atomic_fetch_add(&s->count[process][call], 1) + 1;

	if (s->n == 0 || call != s->call || process != s->process ||
	    (s->ever ? n < s->n : n != s->n))
		return false;
	if (atomic_fetch_add(&s->failed, 1) == 0 && s->trace)
		print_callers();
	errno = s->error;
	return true;
}

/* Defines a wrapper of a function with fixed arguments; `failure` is what it returns then. */
#define NEXT(name) ((__typeof__(&name))(intptr_t)next(#name))
#define WRAP(call, type, name, parameters, arguments, failure)                                     \
	type name parameters                                                                       \
	{                                                                                          \
		static __typeof__(&name) real;                                                     \
		if (!real)                                                                         \
			real = NEXT(name);                                                         \
		return fails(call) ? (failure) : real arguments;                                   \
	}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* ---- memory: dlsym() allocates, so that these go to libc's other names ---- */

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

void *malloc(size_t n)
{
	return fails(INJECT_MALLOC) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails(INJECT_MALLOC) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails(INJECT_MALLOC) ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
	return fails(INJECT_MALLOC) ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
	void *p = fails(INJECT_MALLOC) ? NULL : __libc_memalign(alignment, n);

	if (p)
		*out = p;
	return p ? 0 : ENOMEM;
}

/* ---- files ---- */

/* Defines a wrapper of an open() with a mode where its flags ask for a new file. */
#define WRAP_OPEN(name, parameters, arguments)                                                     \
	int name parameters                                                                        \
	{                                                                                          \
		static __typeof__(&name) real;                                                     \
		mode_t mode = 0;                                                                   \
		if (flags & O_CREAT) {                                                             \
			va_list args;                                                              \
			va_start(args, flags);                                                     \
			mode = va_arg(args, mode_t);                                               \
			va_end(args);                                                              \
		}                                                                                  \
		if (!real)                                                                         \
			real = NEXT(name);                                                         \
		return fails(INJECT_OPEN) ? -1 : real arguments;                                   \
	}

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
WRAP_OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
WRAP(INJECT_OPEN, FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAP(INJECT_OPEN, FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL)
WRAP(INJECT_OPEN, DIR *, opendir, (const char *path), (path), NULL)
WRAP(INJECT_READ, ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), -1)
WRAP(INJECT_READ, ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), -1)
WRAP(INJECT_READ, ssize_t, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), -1)
WRAP(INJECT_WRITE, ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), -1)
WRAP(INJECT_WRITE, ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at),
     (fd, from, n, at), -1)
WRAP(INJECT_WRITE, ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t at),
     (fd, from, n, at), -1)
WRAP(INJECT_STAT, int, stat, (const char *path, struct stat *out), (path, out), -1)
WRAP(INJECT_STAT, int, stat64, (const char *path, struct stat64 *out), (path, out), -1)
WRAP(INJECT_STAT, int, lstat, (const char *path, struct stat *out), (path, out), -1)
WRAP(INJECT_STAT, int, lstat64, (const char *path, struct stat64 *out), (path, out), -1)
WRAP(INJECT_STAT, int, fstat, (int fd, struct stat *out), (fd, out), -1)
WRAP(INJECT_STAT, int, fstat64, (int fd, struct stat64 *out), (fd, out), -1)
WRAP(INJECT_RENAME, int, rename, (const char *from, const char *to), (from, to), -1)
WRAP(INJECT_RENAME, int, renameat, (int a, const char *from, int b, const char *to),
     (a, from, b, to), -1)
WRAP(INJECT_UNLINK, int, unlink, (const char *path), (path), -1)
WRAP(INJECT_UNLINK, int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags),
     -1)
WRAP(INJECT_UNLINK, int, rmdir, (const char *path), (path), -1)
WRAP(INJECT_MKDIR, int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAP(INJECT_MKDIR, int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode),
     -1)
WRAP(INJECT_MKDIR, char *, mkdtemp, (char *path), (path), NULL)
WRAP(INJECT_SYNC, int, fsync, (int fd), (fd), -1)
WRAP(INJECT_SYNC, int, fdatasync, (int fd), (fd), -1)
WRAP(INJECT_TRUNCATE, int, ftruncate, (int fd, off_t n), (fd, n), -1)
WRAP(INJECT_TRUNCATE, int, ftruncate64, (int fd, off64_t n), (fd, n), -1)
WRAP(INJECT_TRUNCATE, int, posix_fallocate, (int fd, off_t at, off_t n), (fd, at, n), state->error)

/* Closes in any case, as the kernel does when it says that something went wrong. */
int close(int fd)
{
	static int (*real)(int);

	if (!real)
		real = NEXT(close);
	int result = real(fd);

	return fails(INJECT_CLOSE) ? -1 : result;
}

/* Defines a wrapper of an fcntl(): its third argument, where there is one, is a word. */
#define WRAP_FCNTL(name)                                                                           \
	int name(int fd, int command, ...)                                                         \
	{                                                                                          \
		static __typeof__(&name) real;                                                     \
		va_list args;                                                                      \
		va_start(args, command);                                                           \
		void *argument = va_arg(args, void *);                                             \
		va_end(args);                                                                      \
		if (!real)                                                                         \
			real = NEXT(name);                                                         \
		return fails(INJECT_CONTROL) ? -1 : real(fd, command, argument);                   \
	}

WRAP_FCNTL(fcntl)
WRAP_FCNTL(fcntl64)

/* ---- memory maps, processes, threads ---- */

WRAP(INJECT_MAP, void *, mmap, (void *p, size_t n, int protection, int flags, int fd, off_t at),
     (p, n, protection, flags, fd, at), MAP_FAILED)
WRAP(INJECT_MAP, void *, mmap64, (void *p, size_t n, int protection, int flags, int fd, off64_t at),
     (p, n, protection, flags, fd, at), MAP_FAILED)
WRAP(INJECT_MAP, int, mprotect, (void *p, size_t n, int protection), (p, n, protection), -1)
WRAP(INJECT_START, pid_t, fork, (void), (), -1)
WRAP(INJECT_START, int, clone, (int (*run)(void *), void *stack, int flags, void *user, ...),
     (run, stack, flags, user), -1)
WRAP(INJECT_THREAD, int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *user),
     (thread, attributes, run, user), state->error)
WRAP(INJECT_PIPE, int, pipe2, (int ends[2], int flags), (ends, flags), -1)
WRAP(INJECT_PIPE, int, socketpair, (int domain, int type, int protocol, int ends[2]),
     (domain, type, protocol, ends), -1)
WRAP(INJECT_MESSAGE, ssize_t, send, (int fd, const void *from, size_t n, int flags),
     (fd, from, n, flags), -1)
WRAP(INJECT_MESSAGE, ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), -1)
WRAP(INJECT_POLL, int, poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms), -1)
WRAP(INJECT_POLL, int, ppoll,
     (struct pollfd * fds, nfds_t n, const struct timespec *time, const sigset_t *signals),
     (fds, n, time, signals), -1)

/* ---- the database: what SQLite asks of itself is not counted ---- */

static bool is_in(const void *caller, const char *library)
{
	Dl_info info;

	return dladdr(caller, &info) != 0 && strstr(info.dli_fname, library) != NULL;
}

/* A lock that cannot be had is tried for ten seconds: these pass a hundred times as fast. */
int usleep(useconds_t us)
{
	static int (*real)(useconds_t);

	if (!real)
		real = NEXT(usleep);
	return real(state && is_in(__builtin_return_address(0), "libsqlite3") ? us / 100 : us);
}

#define WRAP_STEP(name, parameters, arguments)                                                     \
	int name parameters                                                                        \
	{                                                                                          \
		static __typeof__(&name) real;                                                     \
		if (!real)                                                                         \
			real = NEXT(name);                                                         \
		if (!is_in(__builtin_return_address(0), "libsqlite3") && fails(INJECT_STEP))       \
			return SQLITE_IOERR;                                                       \
		return real arguments;                                                             \
	}

WRAP_STEP(sqlite3_step, (sqlite3_stmt * s), (s))
WRAP_STEP(sqlite3_exec,
	  (sqlite3 * db, const char *sql, int (*row)(void *, int, char **, char **), void *user,
	   char **message),
	  (db, sql, row, user, message))
