/* Threads that stay between launches and run one function together.
 *
 * The caller owns the team; it belongs to the thread that made it, which takes part in every run.
 * Waiting threads spin for a moment and then sleep. Each thread stays on a processor of its own, as
 * far as there are enough: two threads that a scheduler puts on one processor take twice as long.
 * Every thread but the caller's begins each run with the floating-point environment of a program's
 * start. */
#ifndef ASCTUNE_DEVICE_CPU_CPU_THREADS_H
#define ASCTUNE_DEVICE_CPU_CPU_THREADS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

enum { CPU_THREADS_MAX = 1024 };

struct cpu_places;
struct cpu_threads;

typedef void cpu_threads_fn(void *user, size_t index);

enum asc_status cpu_threads_new(struct cpu_threads **out, struct asc_err *e);
void cpu_threads_free(struct cpu_threads *t); /* ends the threads; accepts NULL */

/* Starts threads until runs of `n` (1 .. CPU_THREADS_MAX), the caller's among them, have enough. */
enum asc_status cpu_threads_reserve(struct cpu_threads *t, size_t n, struct asc_err *e);

/* Calls fn(user, 0 .. n-1) at once, 0 in the calling thread, and returns when all have returned.
 * `n` is at most what was reserved. */
void cpu_threads_run(struct cpu_threads *t, size_t n, cpu_threads_fn *fn, void *user);

/* Has waiting threads sleep until the next run: what runs now does without them. In a run those
 * sleep that it does not need. */
void cpu_threads_rest(struct cpu_threads *t);

/* Has waiting threads of all teams sleep at once, or look out for a moment before as they do
 * otherwise: what a thread does while it looks out would be counted as work. */
void cpu_threads_sleep_at_once(bool on);

/* Keeps the calling thread on its processor during timed runs, and releases it; one within another
 * counts once. Threads that it starts while it is pinned stay on that processor too. */
void cpu_threads_pin(struct cpu_threads *t);
void cpu_threads_unpin(struct cpu_threads *t);

/* Processors on which the team's threads are kept; borrowed. */
const struct cpu_places *cpu_threads_places(const struct cpu_threads *t);

/* Sets the calling thread's floating-point environment (rounding, subnormals, traps) to that of a
 * program's start, whatever a kernel has left there. Takes a few nanoseconds where nothing has
 * changed. */
void cpu_float_reset(void);

/* ---- processors for the threads of a team ---- */

struct cpu_places {
	int order[CPU_SETSIZE]; /* processors: one of each core first, then those that share a core
				 */
	size_t n;               /* number of processors; 0: unknown, no thread is kept anywhere */
};

/* Lists the processors that the calling thread may run on now. */
void cpu_places_read(struct cpu_places *p);

/* Lists the processors of `allowed`; core_of gives a number below CPU_SETSIZE that processors of
 * one core have in common. */
void cpu_places_choose(struct cpu_places *p, const cpu_set_t *allowed, int (*core_of)(int cpu));

/* Keeps the calling thread on the processor of thread `index` of a team, unless the thread may not
 * run there any more. Threads that it starts meanwhile are kept there too. cpu_places_unpin()
 * restores *before. Failure harms nothing but steadiness. */
void cpu_places_pin(const struct cpu_places *p, size_t index, cpu_set_t *before);
void cpu_places_unpin(const cpu_set_t *before);

/* Set of the one processor of thread `index` of a team; false where none is known. */
bool cpu_places_find(const struct cpu_places *p, size_t index, cpu_set_t *out);

#endif
