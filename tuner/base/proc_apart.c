#include "tuner/base/proc_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/file.h"
#include "tuner/base/orphans.h"
#include "tuner/base/proc.h"

/* Sets errno; 0: the stream has ended. */
static bool read_all(int fd, void *data, size_t n)
{
	char *at = data;

	while (n > 0) {
		errno = 0;
		ssize_t done = read(fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

/* The child: no exit handlers, and no buffers of the parent's to be written again. Signals that the
 * parent handles end it. */
static void answer_and_wait(proc_apart_fn *fn, const void *question, void *answer, size_t size,
			    int fd, int hold)
{
	struct asc_err e = {0};
	char byte;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	e.status = fn(question, answer, &e);
	bool told = file_write_all(fd, &e, sizeof e) && file_write_all(fd, answer, size);
	close(fd);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (told && read(hold, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(told ? 0 : 1);
}

/* Processes that have answered: the last one, which stays until it is let go, and one that was let
 * go and is to be reaped, later: a driver takes its time to end a process. */
static struct {
	pid_t pid, gone;
	int hold; /* end of file here lets `pid` go; -1: no process stays */
} last = {.hold = -1};

static int reap(pid_t pid)
{
	int status = 0;

	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	orphans_forget(pid);
	return status;
}

void proc_apart_let_go(void)
{
	if (last.hold < 0)
		return;
	(void)reap(last.gone);
	close(last.hold);
	last.hold = -1;
	last.gone = last.pid;
}

static void let_all_go(void)
{
	proc_apart_let_go();
	(void)reap(last.gone);
	last.gone = 0;
}

static void keep(pid_t pid, int hold)
{
	if (last.pid == 0)
		(void)atexit(let_all_go);
	proc_apart_let_go();
	last.pid = pid;
	last.hold = hold;
}

static bool open_pipes(int ends[2], int holds[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	if (pipe2(holds, O_CLOEXEC) == 0)
		return true;
	close(ends[0]);
	close(ends[1]);
	return false;
}

enum asc_status proc_apart(proc_apart_fn *fn, const void *question, void *answer, size_t size,
			   struct asc_err *e)
{
	int ends[2], holds[2];
	char text[80];

	if (!open_pipes(ends, holds))
		return asc_err_set(e, ASC_IO, "cannot make a pipe: %s", strerror(errno));
	pid_t pid = fork();
	if (pid == 0) {
		close(holds[1]);
		if (last.hold >= 0)
			close(last.hold);
		answer_and_wait(fn, question, answer, size, ends[1], holds[0]);
	}
	if (pid < 0)
		asc_err_set(e, ASC_NOMEM, "cannot start a process: %s", strerror(errno));
	close(ends[1]);
	close(holds[0]);
	if (pid > 0)
		(void)orphans_know(pid); /* unknown, it ends early */
	bool told = pid > 0 && read_all(ends[0], e, sizeof *e) && read_all(ends[0], answer, size);
	int failure = errno;
	close(ends[0]);
	if (told)
		keep(pid, holds[1]);
	else
		close(holds[1]);
	if (told || pid < 0)
		return e->status;
	int status = reap(pid);

	if (failure)
		return asc_err_set(e, ASC_IO, "cannot read the answer of a process: %s",
				   strerror(failure));
	return asc_err_set(e, ASC_CHILD, "the process that was to answer %s",
			   proc_print_status(status, text, sizeof text));
}
