#include "tuner/workload/limits/limits_models.h"

#include <assert.h>

/* Ascend SoCs. Values from the platform configuration files of the runtime
 * (hicann/runtime@681ef7610, src/platform/platform_config), alignments from PlanMemory.md and
 * NPUTargetSpec.td of Ascend/AscendNPU-IR@52f96a130b52. Of 310B's two stated sizes of UB the
 * smaller one. */

enum { ALIGN = 32, ALIGN_L0 = 512, ALIGN_BT = 64 };

/* Blocks of a launch at most: the product of the grid's axes (src/runtime/api/impl/api_error.cc of
 * the same runtime). */
enum { MAX_BLOCKS = 65535 };

/* Data that all chips of an architecture share. */
static const struct arch {
	int npu_arch;
	int ub, l1, l0a, l0b, l0c, bt; /* bytes; 0: not stated */
	bool drops_multibuffer;
	bool has_standin; /* the first generation takes kernels that asctune does not make */
	bool has_f8;
} archs[] = {
	{1001, 262144, 1048576, 65536, 65536, 262144, 0, false, false, false},
	{2002, 262144, 1048576, 65536, 65536, 262144, 0, false, true, false},
	{2201, 196608, 524288, 65536, 65536, 131072, 1024, true, true, false},
	{3002, 253952, 1048576, 65536, 65536, 131072, 1024, false, true, false},
	{3510, 253952, 524288, 65536, 65536, 262144, 4096, false, true, true},
};

/* 0: not stated, or cores that hold cube and vector units together. */
static const struct soc {
	const char *name;
	int npu_arch, ai_cores, cube_cores, vector_cores;
	int64_t l2_bytes, memory_bytes;
} socs[] = {
	{"Ascend950DT_950x", 3510, 8, 8, 16, 33554432, 25769803776},
	{"Ascend950DT_950y", 3510, 8, 8, 16, 33554432, 17179869184},
	{"Ascend950DT_9571", 3510, 28, 28, 56, 134217728, 154618822656},
	{"Ascend950DT_9572", 3510, 28, 28, 56, 134217728, 103079215104},
	{"Ascend950DT_9573", 3510, 28, 28, 56, 117440512, 135291569824},
	{"Ascend950DT_9574", 3510, 28, 28, 56, 117440512, 90194313216},
	{"Ascend950DT_9575", 3510, 28, 28, 56, 134217728, 103079215104},
	{"Ascend950DT_9576", 3510, 28, 28, 56, 134217728, 68719476736},
	{"Ascend950DT_9577", 3510, 28, 28, 56, 117440512, 90194313216},
	{"Ascend950DT_9578", 3510, 28, 28, 56, 117440512, 60129542144},
	{"Ascend950DT_9581", 3510, 32, 32, 64, 134217728, 154618822656},
	{"Ascend950DT_9581x", 3510, 32, 32, 64, 134217728, 154618822656},
	{"Ascend950DT_9582", 3510, 32, 32, 64, 134217728, 103079215104},
	{"Ascend950DT_9582x", 3510, 32, 32, 64, 134217728, 103079215104},
	{"Ascend950DT_9583", 3510, 32, 32, 64, 117440512, 135291469824},
	{"Ascend950DT_9584", 3510, 32, 32, 64, 117440512, 90194313216},
	{"Ascend950DT_9585", 3510, 32, 32, 64, 134217728, 103079215104},
	{"Ascend950DT_9586", 3510, 32, 32, 64, 134217728, 68719476736},
	{"Ascend950DT_9587", 3510, 32, 32, 64, 117440512, 90194313216},
	{"Ascend950DT_9588", 3510, 32, 32, 64, 117440512, 60129542144},
	{"Ascend950DT_9591", 3510, 36, 36, 72, 134217728, 154618822656},
	{"Ascend950DT_9592", 3510, 36, 36, 72, 134217728, 103079215104},
	{"Ascend950DT_9595", 3510, 36, 36, 72, 134217728, 103079215104},
	{"Ascend950DT_9596", 3510, 36, 36, 72, 134217728, 68719476736},
	{"Ascend950DT_95A1", 3510, 36, 36, 72, 134217728, 154618822656},
	{"Ascend950DT_95A2", 3510, 36, 36, 72, 134217728, 103079215104},
	{"Ascend950PR_950z", 3510, 4, 4, 8, 16777216, 25769803776},
	{"Ascend950PR_9579", 3510, 28, 28, 56, 134217728, 137438953472},
	{"Ascend950PR_957b", 3510, 28, 28, 56, 117440512, 120259084288},
	{"Ascend950PR_957bx", 3510, 28, 28, 56, 117440512, 120259084288},
	{"Ascend950PR_957c", 3510, 28, 28, 56, 117440512, 90194313216},
	{"Ascend950PR_957d", 3510, 28, 28, 56, 100663296, 103079215104},
	{"Ascend950PR_9589", 3510, 32, 32, 64, 134217728, 137438953472},
	{"Ascend950PR_958b", 3510, 32, 32, 64, 117440512, 120259084288},
	{"Ascend950PR_9599", 3510, 36, 36, 72, 134217728, 137438953472},
	{"Ascend310B1", 3002, 1, 1, 1, 4194304, 34359738368},
	{"Ascend310B2", 3002, 1, 1, 1, 4194304, 0},
	{"Ascend310B3", 3002, 1, 1, 1, 4194304, 0},
	{"Ascend310B4", 3002, 1, 1, 1, 4194304, 0},
	{"Ascend310P1", 2002, 10, 0, 8, 16777216, 24000000000},
	{"Ascend310P3", 2002, 8, 0, 7, 16777216, 24000000000},
	{"Ascend310P5", 2002, 8, 0, 7, 16777216, 24000000000},
	{"Ascend310P7", 2002, 8, 0, 7, 16777216, 24000000000},
	{"Ascend910A", 1001, 32, 0, 0, 33554432, 0},
	{"Ascend910B", 1001, 30, 0, 0, 33554432, 0},
	{"Ascend910B1", 2201, 24, 24, 48, 201326592, 68719476736},
	{"Ascend910B2", 2201, 24, 24, 48, 201326592, 68719476736},
	{"Ascend910B2C", 2201, 24, 24, 48, 201326592, 0},
	{"Ascend910B3", 2201, 20, 20, 40, 201326592, 68719476736},
	{"Ascend910B4-1", 2201, 20, 20, 40, 176160768, 34359738368},
	{"Ascend910B4", 2201, 20, 20, 40, 100663296, 34359738368},
	{"Ascend910PremiumA", 1001, 32, 0, 0, 33554432, 0},
	{"Ascend910ProA", 1001, 32, 0, 0, 33554432, 0},
	{"Ascend910ProB", 1001, 30, 0, 0, 33554432, 0},
	{"Ascend910_9362", 2201, 20, 20, 40, 176160768, 68719476736},
	{"Ascend910_9363", 2201, 20, 20, 40, 176160768, 34359738368},
	{"Ascend910_9372", 2201, 20, 20, 40, 201326592, 68719476736},
	{"Ascend910_9381", 2201, 24, 24, 48, 201326592, 68719476736},
	{"Ascend910_9382", 2201, 24, 24, 48, 201326592, 68719476736},
	{"Ascend910_9391", 2201, 24, 24, 48, 201326592, 68719476736},
	{"Ascend910_9392", 2201, 24, 24, 48, 201326592, 68719476736},
};

static const struct arch *find_arch(int npu_arch)
{
	for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
		if (archs[i].npu_arch == npu_arch)
			return &archs[i];
	return NULL;
}

static void fill(size_t i, struct limits *out)
{
	const struct soc *s = &socs[i];
	const struct arch *a = find_arch(s->npu_arch);
	struct facts *f = &out->facts;

	assert(a); /* each row of `socs` has one of `archs` */
	facts_set(f, FACT_PROCESSORS, s->ai_cores);
	facts_set(f, FACT_NPU_ARCH, s->npu_arch);
	facts_set(f, FACT_CUBE_CORES, s->cube_cores);
	facts_set(f, FACT_VECTOR_CORES, s->vector_cores);
	facts_set(f, FACT_L2_BYTES, s->l2_bytes);
	facts_set(f, FACT_MEMORY_BYTES, s->memory_bytes);
	facts_set(f, FACT_UB_BYTES, a->ub);
	facts_set(f, FACT_L1_BYTES, a->l1);
	facts_set(f, FACT_L0A_BYTES, a->l0a);
	facts_set(f, FACT_L0B_BYTES, a->l0b);
	facts_set(f, FACT_L0C_BYTES, a->l0c);
	facts_set(f, FACT_GRID_BLOCKS, MAX_BLOCKS);

	out->name = s->name;
	out->device = "npu";
	out->kind = "Ascend NPU";
	out->onchip = "ub";
	limits_add_space(out, "ub", a->ub, 1, ALIGN);
	limits_add_space(out, "l1", a->l1, 1, ALIGN);
	limits_add_space(out, "l0a", a->l0a, 1, ALIGN_L0);
	limits_add_space(out, "l0b", a->l0b, 1, ALIGN_L0);
	limits_add_space(out, "l0c", a->l0c, 1, ALIGN_L0);
	/* Without a stated size the space is unknown: no limit is better than a guessed one. */
	if (a->bt)
		limits_add_space(out, "bt", a->bt, 1, ALIGN_BT);
	for (int k = 0; k < 3; k++)
		out->grid[k] = MAX_BLOCKS;
	out->grid_product = MAX_BLOCKS;
	out->drops_multibuffer = a->drops_multibuffer;
	out->has_standin = a->has_standin;
	out->refused_types = 1U << DTYPE_F64;
	if (!a->has_f8)
		out->refused_types |= 1U << DTYPE_F8E4M3 | 1U << DTYPE_F8E5M2;
}

const struct limits_family limits_ascend = {sizeof socs / sizeof *socs, fill};

/* ---- the planning target with a block-indexed register file ---- */

/* hw-native-sys/pypto@f338765b2db8, register_allocator_policy.h of its superscalar back end. */
enum { TREG_BLOCKS = 256, TREG_BLOCK_BYTES = 4096 };

static void fill_superscalar(size_t i, struct limits *out)
{
	(void)i;
	out->name = "SuperscalarNPU";
	out->device = "npu";
	out->kind = "superscalar NPU";
	out->onchip = "treg";
	limits_add_space(out, "ddr", 0, 1, 1);
	limits_add_space(out, "treg", (int64_t)TREG_BLOCKS * TREG_BLOCK_BYTES, TREG_BLOCK_BYTES,
			 TREG_BLOCK_BYTES);
	facts_set(&out->facts, FACT_PROCESSORS, 1);
	facts_set(&out->facts, FACT_VECTOR_CORES, 1);
	facts_set(&out->facts, FACT_TREG_BYTES, (int64_t)TREG_BLOCKS * TREG_BLOCK_BYTES);
}

const struct limits_family limits_superscalar = {1, fill_superscalar};
