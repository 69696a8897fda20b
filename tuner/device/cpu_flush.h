/* Empties the caches of all processors that this process may run on, by writing more than they
 * hold.
 *
 * The caller owns the storage: a zeroed struct cpu_flush is ready; cpu_flush_fini() frees. */
#ifndef ASCTUNE_DEVICE_CPU_FLUSH_H
#define ASCTUNE_DEVICE_CPU_FLUSH_H

#include <stddef.h>

#include "tuner/base/err.h"

struct cpu_threads;

struct cpu_flush {
	unsigned char *data; /* heap; NULL before the first run */
	size_t bytes;
	size_t threads; /* that share the writing: each empties the caches of its own core too */
	int byte;
};

/* Writes twice the last-level cache, 64 MiB where its size is unknown, with a byte that changes
 * from run to run. */
enum asc_status cpu_flush_run(struct cpu_flush *f, struct cpu_threads *threads, struct asc_err *e);
void cpu_flush_fini(struct cpu_flush *f);

#endif
