#include "tuner/workload/limits/occupancy.h"

#include <stddef.h>

/* Registers are given to warps in units of 256, from one of four equal parts of the register file;
 * no part may be asked for more than it has, so a block has to fit as if its warps came in fours.
 */
enum { PARTS = 4, REGISTER_UNIT = 256, MAX_BLOCK_WARPS = 32 };

static int64_t round_up(int64_t x, int64_t unit)
{
	return (x + unit - 1) / unit * unit;
}

static int64_t blocks_by_registers(int64_t warps, int64_t registers)
{
	/* Not known before the kernel is compiled: no limit. */
	if (registers == 0)
		return INT64_MAX;
	if (registers > OCCUPANCY_THREAD_REGISTERS || warps > MAX_BLOCK_WARPS)
		return 0;
	const int64_t per_warp = round_up(registers * OCCUPANCY_WARP, REGISTER_UNIT);
	if (per_warp * round_up(warps, PARTS) > OCCUPANCY_REGISTERS)
		return 0;
	/* Warps that fit one part, times the parts, give the warps of the multiprocessor: whole
	 * blocks of these. */
	return OCCUPANCY_REGISTERS / PARTS / per_warp * PARTS / warps;
}

static int64_t blocks_by_shared(const struct occupancy_sm *sm, int64_t bytes)
{
	if (bytes > sm->block_shared_bytes)
		return 0;
	/* The driver's reserve counts for each block, used or not. */
	const int64_t taken = round_up(bytes + sm->reserved_bytes, sm->shared_granularity);
	return taken ? sm->shared_bytes / taken : INT64_MAX;
}

struct occupancy occupancy_find(const struct occupancy_sm *sm, int64_t threads, int64_t registers,
				int64_t shared_bytes)
{
	const int64_t warps = (threads - 1) / OCCUPANCY_WARP + 1;
	const struct {
		int64_t blocks;
		const char *bound;
	} by[] = {{warps > MAX_BLOCK_WARPS ? 0 : sm->threads / OCCUPANCY_WARP / warps, "threads"},
		  {sm->blocks, "blocks"},
		  {blocks_by_registers(warps, registers), "registers"},
		  {blocks_by_shared(sm, shared_bytes), "shared memory"}};
	size_t least = 0;

	/* The first of equal limits is named, so that the answer is always the same. */
	for (size_t i = 1; i < sizeof by / sizeof *by; i++)
		if (by[i].blocks < by[least].blocks)
			least = i;
	return (struct occupancy){(int)by[least].blocks, (int)(by[least].blocks * warps),
				  sm->threads / OCCUPANCY_WARP, by[least].bound};
}
