#include "tuner/process/proc_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/file.h"
#include "tuner/base/units.h"
#include "tuner/process/channel.h"
#include "tuner/process/orphans.h"
#include "tuner/process/proc.h"

/* Waits until there is something to read, or until `end_ns`: then errno is ETIMEDOUT. */
static bool wait_until(int fd, int64_t end_ns)
{
	struct pollfd wanted = {.fd = fd, .events = POLLIN};
	int64_t left_ns;

	while ((left_ns = end_ns - clock_now_ns()) > 0) {
		const int n = poll(&wanted, 1, (int)(left_ns / 1000000 + 1));

		if (n != 0 && !(n < 0 && errno == EINTR))
			return n > 0;
	}
	errno = ETIMEDOUT;
	return false;
}

/* Sets errno; 0: the stream has ended. */
static bool read_all(int fd, int64_t end_ns, void *data, size_t n)
{
	char *at = data;

	while (n > 0) {
		if (!wait_until(fd, end_ns))
			return false;
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
	bool answered = file_write_all(fd, &e, sizeof e) && file_write_all(fd, answer, size);
	close(fd);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (answered && read(hold, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(answered ? 0 : 1);
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
	/* The one before had until now to end: this rarely waits. */
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

static enum asc_status fail_late(int64_t limit_ns, struct asc_err *e)
{
	char text[UNITS_TEXT_SIZE];

	return asc_err_set(e, ASC_TIMEOUT, "no answer within %s: a driver may hang",
			   units_print_duration((double)limit_ns, text));
}

/* Sets the error of a process that has ended without an answer; `failure`: errno of reading it. */
static enum asc_status fail_ended(int failure, int status, struct asc_err *e)
{
	char text[80];

	if (failure)
		return asc_err_set(e, ASC_IO, "cannot read the answer of a process: %s",
				   strerror(failure));
	return asc_err_set(e, ASC_CHILD, "the process that was to answer %s",
			   proc_print_status(status, text, sizeof text));
}

/* Asks a fork of this process:
 *
 * 1. Two pipes: `ends` brings the answer, `holds` keeps the child once it has answered.
 * 2. The child answers, an error and then the bytes, and waits for the end of `holds`.
 * 3. With an answer the child stays, and the one before it is let go; without one its end, or its
 *    silence, is the failure. */
enum asc_status proc_apart(proc_apart_fn *fn, const void *question, void *answer, size_t size,
			   int64_t limit_ns, struct asc_err *e)
{
	const int64_t end_ns = clock_now_ns() + limit_ns;
	int ends[2], holds[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return asc_err_set(e, ASC_IO, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(holds, O_CLOEXEC) != 0) {
		(void)asc_err_set(e, ASC_IO, "cannot make a pipe: %s", strerror(errno));
		close(ends[0]);
		close(ends[1]);
		return e->status;
	}
	pid_t pid = fork();
	if (pid == 0) {
		/* Ends that hold others, or this one itself, would never read as closed. */
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
	bool answered = pid > 0 && read_all(ends[0], end_ns, e, sizeof *e) &&
			read_all(ends[0], end_ns, answer, size);
	int failure = errno;
	close(ends[0]);
	if (answered)
		keep(pid, holds[1]);
	else
		close(holds[1]);
	if (answered || pid < 0)
		return e->status;
	if (failure != ETIMEDOUT)
		return fail_ended(failure, reap(pid), e);
	/* A child that hangs in a driver may not even end when it is killed: no wait for it. */
	(void)kill(pid, SIGKILL);
	return fail_late(limit_ns, e);
}

/* ---- a program that answers ---- */

static const int64_t FAREWELL_NS = INT64_C(5000000000); /* for a driver that is let go in order */

enum asc_status proc_apart_program(const struct proc_options *o, void *answer, size_t size,
				   int64_t limit_ns, struct asc_err *e)
{
	const int64_t end_ns = clock_now_ns() + limit_ns;
	struct proc p;

	if (proc_start(&p, o, e))
		return e->status;
	if (read_all(p.channel, end_ns, e, sizeof *e) &&
	    read_all(p.channel, end_ns, answer, size)) {
		(void)proc_await_end(&p, FAREWELL_NS);
		proc_kill(&p);
		return e->status;
	}
	const int failure = errno;

	if (failure == ETIMEDOUT) {
		/* No wait: it may hang in a driver. */
		proc_signal_end(&p);
		return fail_late(limit_ns, e);
	}
	(void)proc_await_end(&p, limit_ns);
	proc_kill(&p);
	return fail_ended(failure, p.status, e);
}

bool proc_apart_answer(const struct asc_err *e, const void *answer, size_t size)
{
	return file_write_all(CHANNEL_FD, e, sizeof *e) && file_write_all(CHANNEL_FD, answer, size);
}
