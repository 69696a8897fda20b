#include "tuner/process/guard.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/process/orphans.h"

enum {
	ROUNDS = 1000, /* for processes that fork faster than they are found */
	ROUND_US = 1000,
	ENVIRONMENT_BYTES = 6 << 20, /* limit of Linux, arguments included: execve(2) */
	PATH_BYTES = 64
};

/* Microseconds, 146,000 years; the limits of all guards differ. */
#define LEAST_LIMIT (INT64_C(1) << 62)

static struct {
	pid_t pid, watched; /* watched: the process that started the guard; a fork has none */
	int line; /* end of the pair; the guard reads the end of file when the other ends */
	char variable[80];
	int64_t limit;
} guard = {.line = -1};

/* ---- the guard's side ---- */

/* True where a file of a process has n bytes of a mark. */
static bool has_mark(long pid, const char *name, const char *mark, size_t n)
{
	struct buf all = {0};
	struct asc_err e;
	char path[PATH_BYTES];

	(void)snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
	bool has = file_read(path, ENVIRONMENT_BYTES, &all, &e) == ASC_OK && all.len >= n &&
		   memmem(all.data, all.len, mark, n);

	buf_fini(&all);
	return has;
}

static bool is_guarded(long pid)
{
	char limit[32];
	const int n = snprintf(limit, sizeof limit, " %" PRId64 " ", guard.limit);

	return has_mark(pid, "environ", guard.variable, strlen(guard.variable) + 1 /* its NUL */) ||
	       has_mark(pid, "limits", limit, (size_t)n);
}

/* Kills every process that has a mark; returns their number. */
static size_t kill_marked(void)
{
	DIR *processes = opendir("/proc");
	size_t n = 0;

	for (struct dirent *p; processes && (p = readdir(processes));) {
		long pid = strtol(p->d_name, NULL, 10);

		if (pid <= 0 || !is_guarded(pid))
			continue;
		(void)kill((pid_t)pid, SIGKILL);
		n++;
	}
	if (processes)
		closedir(processes);
	return n;
}

/* Reads folders until the watched process ends; false where that cannot be told. */
static bool read_folders(struct buf *out)
{
	char chunk[4096];
	ssize_t n;

	while ((n = read(STDIN_FILENO, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			buf_add(out, chunk, (size_t)n);
	return n == 0;
}

/* Runs the guard in a session of its own: signals of the terminal are for the watched process,
 * which may have to end first. */
static _Noreturn void run_guard(int line)
{
	struct buf folders = {0};

	(void)setsid();
	for (int s = 1; s < SIGRTMAX; s++)
		(void)signal(s, SIG_DFL);
	(void)dup2(line, STDIN_FILENO);
	closefrom(STDIN_FILENO + 1);
	if (!read_folders(&folders))
		_exit(1);
	for (int i = 0; i < ROUNDS && kill_marked() > 0; i++)
		(void)usleep(ROUND_US);
	for (size_t at = 0; at < folders.len; at += strlen(folders.data + at) + 1)
		dir_remove(folders.data + at);
	_exit(0);
}

/* ---- the other side ---- */

static void end_guard(void)
{
	if (guard.watched != getpid())
		return;
	orphans_forget_others(guard.pid); /* children that go on end here, with what they made */
	orphans_end();
	(void)kill(guard.pid, SIGKILL);
	(void)waitpid(guard.pid, NULL, 0);
	close(guard.line);
}

static bool start(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	(void)snprintf(guard.variable, sizeof guard.variable, "ASCTUNE_GUARDED=%ld-%" PRId64,
		       (long)getpid(), clock_now_ns());
	guard.limit =
		LEAST_LIMIT + (int64_t)(hash_bytes(guard.variable, strlen(guard.variable)) >> 2);
	pid_t pid = fork();
	if (pid == 0)
		run_guard(ends[0]);
	close(ends[0]);
	if (pid < 0 || !orphans_know(pid)) {
		close(ends[1]);
		return false;
	}
	guard.pid = pid;
	guard.line = ends[1];
	return true;
}

const char *guard_start(void)
{
	if (guard.watched != getpid()) {
		guard.watched = getpid();
		guard.pid = 0;
		if (start()) {
			orphans_adopt();
			(void)atexit(end_guard);
		}
	}
	return guard.pid ? guard.variable : NULL;
}

int64_t guard_limit(void)
{
	return guard.watched == getpid() && guard.pid ? guard.limit : 0;
}

void guard_end_orphans(void)
{
	if (guard.watched == getpid() && guard.pid)
		orphans_end();
}

void guard_add_folder(const char *path)
{
	const int flags = MSG_NOSIGNAL | MSG_DONTWAIT;

	if (guard_start() && send(guard.line, path, strlen(path) + 1, flags) < 0)
		log_print(LOG_DEBUG, "%s stays if this process is killed: %s", path,
			  strerror(errno));
}
