/* Which processors the threads of a team take, and keeping a thread on one. */
#ifndef ASCTUNE_DEVICE_CPU_PLACES_H
#define ASCTUNE_DEVICE_CPU_PLACES_H

#include <sched.h>
#include <stddef.h>

struct cpu_places {
	cpu_set_t all;          /* that this process may run on */
	int order[CPU_SETSIZE]; /* one of each core first, then those that share a core */
	size_t n;               /* at least 1 */
};

void cpu_places_read(struct cpu_places *p);

/* Keeps the calling thread on the processor of thread `index` of a team; lets it go again. Threads
 * that it starts meanwhile are kept there too. Failure harms nothing but steadiness. */
void cpu_places_pin(const struct cpu_places *p, size_t index);
void cpu_places_unpin(const struct cpu_places *p);

#endif
