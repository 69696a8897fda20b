/* Disturbances of launches on the CPU, as far as this machine has figures of them.
 *
 * The caller owns the storage: cpu_state_watch(), cpu_state_fini(). */
#ifndef ASCTUNE_DEVICE_CPU_CPU_STATE_H
#define ASCTUNE_DEVICE_CPU_CPU_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_state;
struct device_use;

enum { CPU_STATE_THREADS = 64 };

struct cpu_state {
	int fds[CPU_STATE_THREADS]; /* files with the scheduler's figures of each watched thread */
	int ids[CPU_STATE_THREADS]; /* its number */
	size_t n;
	bool looked;           /* set once the two members below are known */
	bool clock, throttles; /* the machine has these files: else they are not opened again */
};

/* Watches the threads that this process has now, at most CPU_STATE_THREADS. */
void cpu_state_watch(struct cpu_state *s);
void cpu_state_fini(struct cpu_state *s);

void cpu_state_read(const struct cpu_state *s, struct device_state *out);
void cpu_state_use(const struct cpu_state *s, struct device_use *out);

/* Time that a thread of this process has been on processors, ns, up to now; 0: it has ended. */
int64_t cpu_state_thread_ns(int id);

#endif
