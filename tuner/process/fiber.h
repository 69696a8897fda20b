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
	/* Called whenever the fiber goes on, and whenever it waits or ends: they put state of the
	 * process that is the fiber's own in place, and keep it. Or NULL, both. */
	void (*enter)(void *user);
	void (*leave)(void *user);
	void *user;
};

enum asc_status fibers_new(struct fibers **out, struct asc_err *e);

/* Adds one, which begins with fibers_run(); a fiber may add others. */
enum asc_status fibers_add(struct fibers *f, const struct fiber_start *start, struct asc_err *e);

/* Runs them until all have ended. Not within a fiber. */
void fibers_run(struct fibers *f);
void fibers_free(struct fibers *f); /* NULL: nothing; none may be left unended */

/* Waits for descriptors as ppoll() does, for `wait_ns` at most. In a fiber the others go on
 * meanwhile, and a signal ends the wait; elsewhere the thread waits. */
int fiber_poll(struct pollfd *fds, nfds_t n, int64_t wait_ns);

#endif
