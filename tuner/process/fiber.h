/* Fibers: flows of control that take turns in one thread. Each has a stack of its own and goes on
 * until it waits; others run meanwhile. Nothing that they share needs a lock, as long as it is
 * whole whenever one waits.
 *
 * The caller owns a struct fibers: fibers_new(), fibers_free(). */
#ifndef ASCTUNE_PROCESS_FIBER_H
#define ASCTUNE_PROCESS_FIBER_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct fibers;

struct fiber_start { /* what a fiber does; copied */
	void (*run)(void *user);
	/* State of the process that is the fiber's own: `enter` puts it in place whenever the fiber
	 * goes on, `leave` keeps it whenever the fiber waits or ends. Both may be NULL. */
	void (*enter)(void *user);
	void (*leave)(void *user);
	void *user;
};

enum asc_status fibers_new(struct fibers **out, struct asc_err *e);

/* Adds a fiber, which begins in fibers_run(); a fiber may add others. ASC_NOMEM: no room for its
 * stack of 8 MiB of addresses. */
enum asc_status fibers_add(struct fibers *f, const struct fiber_start *start, struct asc_err *e);

/* Runs all fibers until the last has ended. Not for a fiber to call. */
void fibers_run(struct fibers *f);

/* Frees them; those that have not begun never do. Not for a fiber to call. NULL: nothing. */
void fibers_free(struct fibers *f);

/* Waits for descriptors as ppoll() does, for `wait_ns` at most; 0 or less: not at all. Number of
 * those that have events; -1: errno says why it cannot wait. In a fiber the others go on meanwhile,
 * and a signal ends the wait with 0. */
int fiber_poll(struct pollfd *fds, nfds_t n, int64_t wait_ns);

#endif
