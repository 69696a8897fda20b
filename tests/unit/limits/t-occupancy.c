/* Blocks per multiprocessor, beside NVIDIA's own occupancy calculator: the golden numbers are what
 * cuda_occupancy.h of nvidia-cuda-runtime 13.5.37 gives with the largest share of shared memory.
 * covers: occupancy.c limits_cuda.c */
#include "tuner/workload/limits/occupancy.h"

#include "tests/tap.h"
#include "tuner/workload/limits/limits.h"

enum { N_BLOCKS = 12 };

static const struct { /* threads, registers of each, bytes of shared memory */
	int threads, registers, shared;
} blocks[N_BLOCKS] = {{128, 32, 0},     {256, 64, 0},      {256, 65, 0},      {1024, 64, 0},
		      {1024, 65, 0},    {96, 40, 0},       {33, 255, 0},      {64, 16, 9000},
		      {128, 32, 49152}, {256, 128, 66000}, {512, 32, 101376}, {128, 168, 232448}};

static const struct {
	const char *name;
	int resident[N_BLOCKS];
} goldens[] = {
	{"sm_70", {16, 4, 3, 1, 0, 16, 4, 10, 2, 1, 0, 0}},
	{"sm_75", {8, 4, 3, 1, 0, 10, 4, 7, 1, 0, 0, 0}},
	{"sm_80", {16, 4, 3, 1, 0, 16, 4, 16, 3, 2, 1, 0}},
	{"sm_86", {12, 4, 3, 1, 0, 16, 4, 10, 2, 1, 1, 0}},
	{"sm_87", {12, 4, 3, 1, 0, 16, 4, 16, 3, 2, 1, 0}},
	{"sm_89", {12, 4, 3, 1, 0, 16, 4, 10, 2, 1, 1, 0}},
	{"sm_90", {16, 4, 3, 1, 0, 16, 4, 23, 4, 2, 2, 1}},
	{"sm_100", {16, 4, 3, 1, 0, 16, 4, 23, 4, 2, 2, 1}},
	{"sm_103", {16, 4, 3, 1, 0, 16, 4, 23, 4, 2, 2, 1}},
	{"sm_110", {12, 4, 3, 1, 0, 16, 4, 23, 4, 2, 2, 1}},
	{"sm_120", {12, 4, 3, 1, 0, 16, 4, 10, 2, 1, 1, 0}},
	{"sm_121", {12, 4, 3, 1, 0, 16, 4, 10, 2, 1, 1, 0}},
};

static void test_goldens(void)
{
	for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
		struct limits l;
		int wrong = 0;

		if (!tap_ok(limits_find(goldens[i].name, &l), "%s is known", goldens[i].name))
			continue;
		for (size_t k = 0; k < N_BLOCKS; k++) {
			const struct occupancy o = occupancy_find(
				l.sm, blocks[k].threads, blocks[k].registers, blocks[k].shared);
			if (o.blocks == goldens[i].resident[k])
				continue;
			tap_note("%s, block %zu: %d, not %d", l.name, k, o.blocks,
				 goldens[i].resident[k]);
			wrong++;
		}
		tap_int(wrong, 0, "%s: as NVIDIA's calculator says", l.name);
	}
}

static void test_bounds(void)
{
	struct limits l;

	limits_find("sm_90", &l);
	struct occupancy o = occupancy_find(l.sm, 32, 0, 0);
	tap_int(o.blocks, 32, "blocks of one warp");
	tap_str(o.bound, "blocks", "are bound by their number");
	tap_int(o.warps, 32, "so only half of the warps");
	tap_int(o.max_warps, 64, "of 64 are there");
	tap_str(occupancy_find(l.sm, 256, 0, 0).bound, "threads", "bound by threads");
	tap_str(occupancy_find(l.sm, 256, 200, 0).bound, "registers", "bound by registers");
	tap_str(occupancy_find(l.sm, 256, 32, 100000).bound, "shared memory", "bound by memory");
	tap_int(occupancy_find(l.sm, 1025, 0, 0).blocks, 0, "too many threads");
	tap_int(occupancy_find(l.sm, 32, 256, 0).blocks, 0, "too many registers");
	tap_int(occupancy_find(l.sm, 32, 0, 232449).blocks, 0, "too much shared memory");
	tap_int(occupancy_find(l.sm, 32, 0, INT64_MAX).blocks, 0, "far too much");
	tap_int(occupancy_find(l.sm, INT64_MAX, 0, 0).blocks, 0, "far too many threads");
}

int main(void)
{
	test_goldens();
	test_bounds();
	return tap_done();
}
