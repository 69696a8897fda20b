#include "tuner/workload/limits/limits_models.h"

#include <inttypes.h>
#include <stdio.h>

#include "tuner/workload/limits/occupancy.h"

/* NVIDIA GPUs by compute capability: the table "Technical Specifications per Compute Capability" of
 * the CUDA C++ Programming Guide (13.0). Where editions of it disagreed on shared memory (7.2), the
 * larger figure: a limit may be too wide, but nothing that runs may be left out. */

enum {
	KIB = 1024,
	STATIC_SHARED = 48 * KIB,
	THREADS_PER_BLOCK = 1024,
	BLOCK_Z = 64,
	GRID_YZ = 65535
};

/* name, capability, threads and blocks of an SM, its shared memory, that of a block at most,
 * reserved by the driver in each block, granularity */
static const struct occupancy_sm sms[] = {
	{"sm_70", 70, 2048, 32, 96 * KIB, 96 * KIB, 0, 256},
	{"sm_72", 72, 2048, 32, 96 * KIB, 96 * KIB, 0, 256},
	{"sm_75", 75, 1024, 16, 64 * KIB, 64 * KIB, 0, 256},
	{"sm_80", 80, 2048, 32, 164 * KIB, 163 * KIB, KIB, 128},
	{"sm_86", 86, 1536, 16, 100 * KIB, 99 * KIB, KIB, 128},
	{"sm_87", 87, 1536, 16, 164 * KIB, 163 * KIB, KIB, 128},
	{"sm_89", 89, 1536, 24, 100 * KIB, 99 * KIB, KIB, 128},
	{"sm_90", 90, 2048, 32, 228 * KIB, 227 * KIB, KIB, 128},
	{"sm_100", 100, 2048, 32, 228 * KIB, 227 * KIB, KIB, 128},
	{"sm_103", 103, 2048, 32, 228 * KIB, 227 * KIB, KIB, 128},
	{"sm_110", 110, 1536, 24, 228 * KIB, 227 * KIB, KIB, 128},
	{"sm_120", 120, 1536, 24, 100 * KIB, 99 * KIB, KIB, 128},
	{"sm_121", 121, 1536, 24, 100 * KIB, 99 * KIB, KIB, 128},
};

static void fill(size_t i, struct limits *out)
{
	const struct occupancy_sm *sm = &sms[i];
	struct facts *f = &out->facts;

	facts_set(f, FACT_COMPUTE_CAPABILITY, sm->capability);
	facts_set(f, FACT_WARP_SIZE, OCCUPANCY_WARP);
	facts_set(f, FACT_BLOCK_THREADS, THREADS_PER_BLOCK);
	facts_set(f, FACT_BLOCK_REGISTERS, OCCUPANCY_REGISTERS);
	facts_set(f, FACT_BLOCK_SHARED_BYTES, sm->block_shared_bytes);
	facts_set(f, FACT_STATIC_SHARED_BYTES, STATIC_SHARED);
	facts_set(f, FACT_THREAD_REGISTERS, OCCUPANCY_THREAD_REGISTERS);
	facts_set(f, FACT_SM_THREADS, sm->threads);
	facts_set(f, FACT_SM_BLOCKS, sm->blocks);
	facts_set(f, FACT_SM_REGISTERS, OCCUPANCY_REGISTERS);
	facts_set(f, FACT_SM_SHARED_BYTES, sm->shared_bytes);

	out->name = sm->name;
	out->device = "cuda";
	out->kind = "NVIDIA GPU";
	out->sm = sm;
	/* CUDAOptions.supported_fp8_dtypes of Triton 3.4 to 3.9 */
	if (sm->capability < 89)
		out->refused_types = 1U << DTYPE_F8E4M3;
	limits_add_space(out, "shared", sm->block_shared_bytes, 1, sm->shared_granularity);
	/* The axes are limited one by one; their product is not. */
	out->grid[0] = INT32_MAX;
	out->grid[1] = out->grid[2] = GRID_YZ;
	out->grid_product = INT64_MAX;
	out->block[0] = out->block[1] = THREADS_PER_BLOCK;
	out->block[2] = BLOCK_Z;
}

void limits_print_cuda_arch(int64_t capability, char text[LIMITS_ARCH_SIZE])
{
	(void)snprintf(text, LIMITS_ARCH_SIZE, "sm_%" PRId64 "%s", capability,
		       capability >= 90 ? "a" : "");
}

const struct limits_family limits_cuda = {sizeof sms / sizeof *sms, fill};
