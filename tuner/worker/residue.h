/* Residue of kernels that run in the worker's process: threads, timers, signal handlers, child
 * processes, settings. It would disturb or be blamed on the next kernel.
 *
 * The caller's storage: residue_look() before, residue_left() after. */
#ifndef ASCTUNE_WORKER_RESIDUE_H
#define ASCTUNE_WORKER_RESIDUE_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { RESIDUE_SIGNALS = 64 };

struct residue_place {
	dev_t device;
	ino_t file;
};

struct residue {
	long threads; /* that asctune has not started, but for a constant */
	bool timers, children;
	void *handlers[RESIDUE_SIGNALS + 1];
	sigset_t blocked;
	cpu_set_t processors;
	int policy, niceness;
	struct residue_place folder, root; /* the working folder, the root folder */
	mode_t mask;                       /* of new files */
	struct rlimit limits[RLIM_NLIMITS];
	uid_t user;
	gid_t group;
	pid_t session, processes; /* processes: the group that is killed as a whole */
	int parent_signal;        /* raised here when the parent ends; 0: none */
};

/* Some microseconds. */
void residue_look(struct residue *r);

/* Names residue that was not there before, for messages: "a thread"; NULL: none. Things that only
 * have ended are none. */
const char *residue_left(const struct residue *before);

/* Has `fd` closed in each process that is forked from here on: two that return from one kernel
 * would answer both. Orphans (process/orphans) come to this process. */
void residue_guard(int fd);
bool residue_is_fork(void); /* this process was forked since then, and may only end */

#endif
