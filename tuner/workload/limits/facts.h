/* Facts of a device by name, for expressions (`device.threads`). A fact that the device does not
 * report is unknown, not zero: a condition over it does not prune, and a launch that needs it fails
 * with its name. */
#ifndef ASCTUNE_WORKLOAD_LIMITS_FACTS_H
#define ASCTUNE_WORKLOAD_LIMITS_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* id, name, meaning */
#define FACTS_LIST(X)                                                                              \
	X(THREADS, "threads", "hardware threads the process may run on")                           \
	X(VECTOR_BYTES, "vector_bytes", "width of a vector register")                              \
	X(L1_BYTES, "l1_bytes", "level-1 data cache; L1 of a cube core")                           \
	X(L2_BYTES, "l2_bytes", "level-2 cache")                                                   \
	X(LLC_BYTES, "llc_bytes", "last-level cache")                                              \
	X(LINE_BYTES, "line_bytes", "cache line")                                                  \
	X(MEMORY_BYTES, "memory_bytes", "device memory")                                           \
	X(PROCESSORS, "processors", "streaming multiprocessors, AI cores or CPU cores")            \
	X(WARP_SIZE, "warp_size", "threads of a warp")                                             \
	X(BLOCK_THREADS, "block_threads", "threads of a block at most")                            \
	X(BLOCK_REGISTERS, "block_registers", "registers of a block at most")                      \
	X(BLOCK_SHARED_BYTES, "block_shared_bytes", "shared memory of a block at most, opted in")  \
	X(CLOCK_MHZ, "clock_mhz", "highest clock of the processors")                               \
	X(MEMORY_CLOCK_MHZ, "memory_clock_mhz", "highest clock of the device memory")              \
	X(UB_BYTES, "ub_bytes", "Unified Buffer of a vector core")                                 \
	X(L0A_BYTES, "l0a_bytes", "L0A of a cube core")                                            \
	X(L0B_BYTES, "l0b_bytes", "L0B of a cube core")                                            \
	X(L0C_BYTES, "l0c_bytes", "L0C of a cube core")                                            \
	X(TREG_BYTES, "treg_bytes", "block-indexed register file of a SuperscalarNPU core")        \
	X(NPU_ARCH, "npu_arch", "architecture number: 2201 is 910B and 910_93, 3510 is 950")       \
	X(CUBE_CORES, "cube_cores", "cube cores")                                                  \
	X(VECTOR_CORES, "vector_cores", "vector cores")                                            \
	X(GRID_BLOCKS, "grid_blocks", "blocks of a grid at most, where there is one limit")        \
	X(COMPUTE_CAPABILITY, "compute_capability", "ten times the compute capability: 90 is 9.0") \
	X(STATIC_SHARED_BYTES, "static_shared_bytes", "shared memory of a block at most, static")  \
	X(THREAD_REGISTERS, "thread_registers", "registers of a thread at most")                   \
	X(SM_THREADS, "sm_threads", "threads of a streaming multiprocessor at most")               \
	X(SM_BLOCKS, "sm_blocks", "blocks of a streaming multiprocessor at most")                  \
	X(SM_REGISTERS, "sm_registers", "registers of a streaming multiprocessor")                 \
	X(SM_SHARED_BYTES, "sm_shared_bytes", "shared memory of a streaming multiprocessor")

enum fact {
#define X(id, name, meaning) FACT_##id,
	FACTS_LIST(X)
#undef X
		FACT_COUNT
};

struct facts {
	bool known[FACT_COUNT];
	int64_t value[FACT_COUNT];
};

void facts_set(struct facts *f, enum fact id,
	       int64_t value);                    /* a value below 1 means unknown and is ignored */
bool facts_find(const char *name, enum fact *id); /* `name` without "device." */
const char *facts_name(enum fact id);

#endif
