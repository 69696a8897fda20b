/* Choice of processors for the threads of a team, and keeping a thread on one. */
#ifndef ASCTUNE_DEVICE_CPU_CPU_PLACES_H
#define ASCTUNE_DEVICE_CPU_CPU_PLACES_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

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
