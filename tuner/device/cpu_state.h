/* What disturbs launches on the CPU, as far as this machine tells.
 *
 * The caller owns the storage: cpu_state_watch(), cpu_state_fini(). */
#ifndef ASCTUNE_DEVICE_CPU_STATE_H
#define ASCTUNE_DEVICE_CPU_STATE_H

#include <stdbool.h>
#include <stddef.h>

struct device_state;

enum { CPU_STATE_THREADS = 64 };

struct cpu_state {
	int fds[CPU_STATE_THREADS]; /* what the scheduler says of each thread watched */
	size_t n;
	bool looked;           /* whether this machine has what follows */
	bool clock, throttles; /* it has: else they are not asked for again */
};

/* Watches the threads that this process has now, at most CPU_STATE_THREADS of them. */
void cpu_state_watch(struct cpu_state *s);
void cpu_state_fini(struct cpu_state *s);

void cpu_state_read(const struct cpu_state *s, struct device_state *out);

#endif
