/* What is known of a device, by name, for expressions (`device.threads`). A fact that the device
 * does not report is unknown, not zero: a condition over it does not prune, and a launch that needs
 * it fails with its name. */
#ifndef ASCTUNE_MODEL_FACTS_H
#define ASCTUNE_MODEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* id, name, meaning */
#define FACTS_LIST(X)                                                                              \
	X(THREADS, "threads", "hardware threads the process may run on")                           \
	X(VECTOR_BYTES, "vector_bytes", "width of a vector register")                              \
	X(L1_BYTES, "l1_bytes", "level-1 data cache of one core")                                  \
	X(L2_BYTES, "l2_bytes", "level-2 cache")                                                   \
	X(LLC_BYTES, "llc_bytes", "last-level cache")                                              \
	X(LINE_BYTES, "line_bytes", "cache line")                                                  \
	X(MEMORY_BYTES, "memory_bytes", "device memory")                                           \
	X(PROCESSORS, "processors", "streaming multiprocessors, AI cores or CPU cores")            \
	X(WARP_SIZE, "warp_size", "threads of a warp")                                             \
	X(BLOCK_THREADS, "block_threads", "threads of a block at most")                            \
	X(BLOCK_REGISTERS, "block_registers", "registers of a block at most")                      \
	X(BLOCK_SHARED_BYTES, "block_shared_bytes", "shared memory of a block at most, opted in")  \
	X(PROCESSOR_THREADS, "processor_threads", "threads of a processor at most")                \
	X(PROCESSOR_REGISTERS, "processor_registers", "registers of a processor")                  \
	X(PROCESSOR_SHARED_BYTES, "processor_shared_bytes", "shared memory of a processor")        \
	X(COMPUTE_CAPABILITY, "compute_capability", "10 times CUDA's: 90 for 9.0")                 \
	X(CLOCK_MHZ, "clock_mhz", "highest clock of the processors")                               \
	X(MEMORY_CLOCK_MHZ, "memory_clock_mhz", "highest clock of the device memory")              \
	X(UB_BYTES, "ub_bytes", "Unified Buffer of a vector core")                                 \
	X(L0A_BYTES, "l0a_bytes", "L0A of a cube core")                                            \
	X(L0B_BYTES, "l0b_bytes", "L0B of a cube core")                                            \
	X(L0C_BYTES, "l0c_bytes", "L0C of a cube core")

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

void facts_set(struct facts *f, enum fact id, int64_t value); /* ignores values below 1: unknown */
bool facts_find(const char *name, enum fact *id);             /* `name` without "device." */
const char *facts_name(enum fact id);
const char *facts_meaning(enum fact id);

#endif
