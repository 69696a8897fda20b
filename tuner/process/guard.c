/* The life of a guard:
 *
 * 1. guard_start() forks. A socket pair joins the two, and this process alone has its end: when it
 *    ends, however that happens, the guard reads the end of the line.
 * 2. Each child that is started gets the mark: a variable of its environment, and a limit.
 * 3. Folders that children work in are sent down the line as they are made.
 * 4. After a sudden end the guard kills all processes with the mark, then removes the folders.
 * 5. At an orderly end this process does that itself (end_guard) and kills the guard. */
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

/* Kills every process that has the mark of this guard; returns their number. */
static size_t kill_marked(void)
{
	DIR *processes = opendir("/proc");
	char limit[32];
	/* Blanks, so that no longer number has it in it. */
	const size_t digits = (size_t)snprintf(limit, sizeof limit, " %" PRId64 " ", guard.limit);
	size_t n = 0;

	for (struct dirent *p; processes && (p = readdir(processes));) {
		const long pid = strtol(p->d_name, NULL, 10);

		/* The variable with its NUL: it may begin a longer one. The limit, because a
		 * process can empty its environment. */
		if (pid <= 0 ||
		    (!has_mark(pid, "environ", guard.variable, strlen(guard.variable) + 1) &&
		     !has_mark(pid, "limits", limit, digits)))
			continue;
		(void)kill((pid_t)pid, SIGKILL);
		n++;
	}
	if (processes)
		closedir(processes);
	return n;
}

/* Runs the guard. It knows of no process but by its mark, so that it needs no list, which would be
 * old by the time that it is wanted. */
static _Noreturn void run_guard(int line)
{
	struct buf folders = {0};
	char chunk[4096];
	ssize_t n;

	/* A session of its own: signals of the terminal are for the watched process, which may have
	 * to end first. */
	(void)setsid();
	for (int s = 1; s < SIGRTMAX; s++)
		(void)signal(s, SIG_DFL);
	/* Whatever else is open would keep others from seeing its end: pipes, locks, the other end
	 * of the line. */
	(void)dup2(line, STDIN_FILENO);
	file_close_from(STDIN_FILENO + 1);
	/* Names of folders, until the watched process ends. */
	while ((n = read(STDIN_FILENO, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			buf_add(&folders, chunk, (size_t)n);
	/* Without the end of the line that process may still be there: nothing is killed. */
	if (n < 0)
		_exit(1);
	/* Until a round finds none: a process may have forked behind the reading of /proc. */
	for (int i = 0; i < ROUNDS && kill_marked() > 0; i++)
		(void)usleep(ROUND_US);
	/* After the processes, which would make files there again. */
	for (size_t at = 0; at < folders.len; at += strlen(folders.data + at) + 1)
		dir_remove(folders.data + at);
	_exit(0);
}

/* ---- the other side ---- */

/* Ends the guard at an orderly end, where nothing is left for it. */
static void end_guard(void)
{
	if (guard.watched != getpid())
		return;
	/* Children that are still wanted end here as well, with what they made: nobody will wait
	 * for them. The guard itself is a child, and ends last. */
	orphans_forget_others(guard.pid);
	orphans_end();
	(void)kill(guard.pid, SIGKILL);
	(void)waitpid(guard.pid, NULL, 0);
	close(guard.line);
}

const char *guard_start(void)
{
	int ends[2];

	if (guard.watched == getpid())
		return guard.pid ? guard.variable : NULL;
	/* Once in a process, also where it fails: a fork has its parent's guard in its memory, and
	 * none that watches it. */
	guard.watched = getpid();
	guard.pid = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return NULL;
	/* Numbers of processes are used again; the time makes the mark one of its own. */
	(void)snprintf(guard.variable, sizeof guard.variable, "ASCTUNE_GUARDED=%ld-%" PRId64,
		       (long)getpid(), clock_now_ns());
	guard.limit =
		LEAST_LIMIT + (int64_t)(hash_bytes(guard.variable, strlen(guard.variable)) >> 2);
	const pid_t pid = fork();
	if (pid == 0)
		run_guard(ends[0]);
	close(ends[0]);
	/* Known as no orphan before any orphan is ended, else the first one would end it too. */
	if (pid < 0 || !orphans_know(pid)) {
		close(ends[1]);
		return NULL;
	}
	guard.pid = pid;
	guard.line = ends[1];
	orphans_adopt();
	(void)atexit(end_guard);
	return guard.variable;
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
	/* A guard that was killed, or that does not keep up, is no reason to end or to wait. */
	const int flags = MSG_NOSIGNAL | MSG_DONTWAIT;

	if (guard_start() && send(guard.line, path, strlen(path) + 1, flags) < 0)
		log_print(LOG_DEBUG, "%s stays if this process is killed: %s", path,
			  strerror(errno));
}

enum asc_status guard_make_scratch(const char *name, char **out, struct asc_err *e)
{
	if (dir_make_scratch(name, out, e))
		return e->status;
	guard_add_folder(*out);
	return ASC_OK;
}
