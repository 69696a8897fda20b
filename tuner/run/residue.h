/* What code of a kernel can leave behind in the worker's process, where it runs in it: threads,
 * timers, signal handlers, child processes, settings. It would disturb or be blamed on whatever
 * runs next.
 *
 * The caller's storage: residue_look() before, residue_left() after. */
#ifndef ASCTUNE_RUN_RESIDUE_H
#define ASCTUNE_RUN_RESIDUE_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { RESIDUE_SIGNALS = 64 };

struct residue {
	long threads; /* that asctune has not started, but for a constant */
	bool timers, children;
	void *handlers[RESIDUE_SIGNALS + 1];
	sigset_t blocked;
	cpu_set_t processors;
	int policy, niceness;
	dev_t device; /* the working folder */
	ino_t folder;
	mode_t mask; /* of new files */
};

/* Some microseconds. */
void residue_look(struct residue *r);

/* What there is now that was not there then, for messages: "a thread"; NULL: nothing. What only has
 * ended is none. */
const char *residue_left(const struct residue *before);

/* From here on a process that is forked has `fd` closed: two that return from one kernel would
 * answer both. */
void residue_guard(int fd);
bool residue_is_fork(void); /* this process was forked since then, and may only end */

#endif
