/* Threads that stay between launches and run one function together.
 *
 * The caller owns the team; it belongs to the thread that made it, which takes part in every run.
 * Waiting threads spin for a moment and then sleep. Each stays on a processor of its own, as far as
 * there are enough: two that a scheduler puts on one for a while take twice as long. Each but the
 * caller's begins every run with the floating-point environment of a program's start. */
#ifndef ASCTUNE_DEVICE_CPU_THREADS_H
#define ASCTUNE_DEVICE_CPU_THREADS_H

#include <stddef.h>

#include "tuner/base/err.h"

enum { CPU_THREADS_MAX = 1024 };

struct cpu_places;
struct cpu_threads;

typedef void cpu_threads_fn(void *user, size_t index);

enum asc_status cpu_threads_new(struct cpu_threads **out, struct asc_err *e);
void cpu_threads_free(struct cpu_threads *t); /* ends the threads */

/* Makes sure that runs of `n` threads (1 .. CPU_THREADS_MAX), the caller's among them, find them
 * there. */
enum asc_status cpu_threads_reserve(struct cpu_threads *t, size_t n, struct asc_err *e);

/* Calls fn(user, 0 .. n-1) at once, 0 in the calling thread, and returns when all have returned.
 * `n` is at most what was reserved. */
void cpu_threads_run(struct cpu_threads *t, size_t n, cpu_threads_fn *fn, void *user);

/* Keeps the calling thread on its processor for runs that are to be timed, and lets it go: threads
 * that it starts meanwhile would stay there too. */
void cpu_threads_pin(struct cpu_threads *t);
void cpu_threads_unpin(struct cpu_threads *t);

/* Where the threads of the team are kept. */
const struct cpu_places *cpu_threads_places(const struct cpu_threads *t);

#endif
