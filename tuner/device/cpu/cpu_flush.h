/* Flushing of the caches before a cold launch: every line of the buffers that it is given, wherever
 * it is cached (cpu_evict()), and from the caches of each core what else they hold. Where the
 * processor cannot drop lines, or the buffers are larger than the caches, more than the caches hold
 * is written instead.
 *
 * The caller owns the storage: a zeroed struct cpu_flush is ready; cpu_flush_fini() frees. */
#ifndef ASCTUNE_DEVICE_CPU_CPU_FLUSH_H
#define ASCTUNE_DEVICE_CPU_CPU_FLUSH_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct cpu_threads;

/* A part of memory, borrowed. */
struct cpu_span {
	const void *at;
	size_t bytes;
};

struct cpu_flush {
	size_t *cores;       /* heap: thread i writes cores[i] .. cores[i + 1] of the data to empty
				the caches of its core, ... */
	size_t *all;         /* ... or all[i] .. all[i + 1] to empty all caches with the others */
	unsigned char *data; /* heap: as much as was needed so far */
	size_t bytes, threads;
	int byte; /* byte that is written; another one in every run */
};

/* Flushes for a launch with these buffers; n = 0: they are unknown, and all caches are emptied. */
enum asc_status cpu_flush_run(struct cpu_flush *f, struct cpu_threads *threads,
			      const struct cpu_span *buffers, size_t n, struct asc_err *e);
void cpu_flush_fini(struct cpu_flush *f);

/* True where the processor has an instruction that drops a line from all caches of the machine, and
 * that a program may use: x86-64 and 64-bit Arm. */
bool cpu_evict_works(void);

/* Writes back and drops every line of `bytes` from `at`, which the program may read; the lines are
 * gone on return. Requires cpu_evict_works(). */
void cpu_evict(const void *at, size_t bytes);

#endif
