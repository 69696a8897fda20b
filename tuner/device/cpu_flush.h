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
	size_t *from;        /* heap: thread i writes from[i] .. from[i + 1] */
	size_t threads;
	int byte;
};

/* Writes twice what each last-level cache holds, by the threads on the processors that share it;
 * 64 MiB where nothing is known; with a byte that changes from run to run. */
enum asc_status cpu_flush_run(struct cpu_flush *f, struct cpu_threads *threads, struct asc_err *e);
void cpu_flush_fini(struct cpu_flush *f);

#endif
