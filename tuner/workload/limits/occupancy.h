/* Occupancy: the number of blocks of threads that a streaming multiprocessor holds at a time, by
 * NVIDIA's published rules (the occupancy section of the CUDA C++ Best Practices Guide; the
 * occupancy calculator). */
#ifndef ASCTUNE_WORKLOAD_LIMITS_OCCUPANCY_H
#define ASCTUNE_WORKLOAD_LIMITS_OCCUPANCY_H

#include <stdint.h>

enum {
	OCCUPANCY_WARP = 32,              /* threads */
	OCCUPANCY_REGISTERS = 65536,      /* registers of an SM, and of a block at most */
	OCCUPANCY_THREAD_REGISTERS = 255, /* registers of a thread at most */
};

/* Resources of a multiprocessor. */
struct occupancy_sm {
	const char *name; /* sm_90 */
	int capability;   /* 90: 9.0 */
	int threads, blocks;
	int shared_bytes;       /* shared memory of the SM */
	int block_shared_bytes; /* shared memory of a block at most, opted in */
	int reserved_bytes;     /* shared memory of each block that the driver reserves */
	int shared_granularity; /* bytes */
};

struct occupancy {
	int blocks; /* blocks at a time; 0: such a block cannot run */
	int warps, max_warps;
	const char *bound; /* the limiting resource: "threads", "blocks", "registers", "shared
			      memory" */
};

/* Finds the occupancy of blocks of `threads` >= 1 with `registers` a thread (0: unknown, no limit)
 * and `shared_bytes` of static and dynamic shared memory together. */
struct occupancy occupancy_find(const struct occupancy_sm *sm, int64_t threads, int64_t registers,
				int64_t shared_bytes);

#endif
