#include "tuner/process/proc.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/units.h"

enum { SLICE_MS = 10 }; /* time between two looks at a child whose end cannot be polled */

size_t proc_add_pollfds(const struct proc *p, struct pollfd *fds, size_t n, size_t max)
{
	const int own[PROC_POLLFDS] = {p->output, p->channel, p->end};

	for (size_t i = 0; p->pid && i < PROC_POLLFDS; i++)
		if (own[i] >= 0 && n < max)
			fds[n++] = (struct pollfd){.fd = own[i], .events = POLLIN};
	return n;
}

/* Waits for output (-1: none), the child's end, or the end of the time. */
static void wait_event(int output, int end, int64_t left_ns)
{
	struct pollfd fds[] = {{.fd = output, .events = POLLIN}, {.fd = end, .events = POLLIN}};
	int64_t ms = left_ns / 1000000 + 1;
	int64_t most = end < 0 ? SLICE_MS : INT_MAX;
	(void)poll(fds, 2, (int)(ms < most ? ms : most));
}

/* Collects into `output`, unless NULL. True when the child has ended, false when its time was over
 * before. */
static bool run_child(struct proc *p, int64_t limit_ns, size_t max_bytes, struct buf *output)
{
	int64_t start = clock_now_ns();
	for (;;) {
		bool ended = proc_ended(p);
		if (output)
			proc_collect(p, max_bytes, output);
		int64_t left = limit_ns - (clock_now_ns() - start);
		if (ended || left <= 0)
			return ended;
		wait_event(output ? p->output : -1, p->end, left);
	}
}

bool proc_await_end(struct proc *p, int64_t limit_ns)
{
	return run_child(p, limit_ns, 0, NULL);
}

enum asc_status proc_run(const char *const *argv, const struct sandbox *sandbox, int64_t limit_ns,
			 size_t max_output, struct buf *output, int *status, struct asc_err *e)
{
	struct proc p;
	char limit[UNITS_TEXT_SIZE];
	size_t room = SIZE_MAX - output->len;
	const struct proc_options o = {.argv = argv, .capture = true, .sandbox = sandbox};
	enum asc_status result = proc_start(&p, &o, e);
	if (result)
		return result;
	bool ended = run_child(&p, limit_ns, output->len + (max_output < room ? max_output : room),
			       output);
	proc_kill(&p);
	*status = p.status;
	if (!ended)
		return asc_err_set(e, ASC_TIMEOUT, "%s was stopped after %s", argv[0],
				   units_print_duration((double)limit_ns, limit));
	return buf_check(output, e);
}

const char *proc_print_status(int status, char *text, size_t size)
{
	if (WIFEXITED(status)) {
		(void)snprintf(text, size, "exited with status %d", WEXITSTATUS(status));
	} else {
		int number = WTERMSIG(status);
		const char *name = sigabbrev_np(number), *meaning = sigdescr_np(number);
		if (name && meaning)
			(void)snprintf(text, size, "was killed by SIG%s (%s)", name, meaning);
		else
			(void)snprintf(text, size, "was killed by signal %d", number);
	}
	return text;
}
