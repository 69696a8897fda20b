#include "tests/bench/space_loops.h"

#include <stddef.h>

/* Each loop stands as far out as its conditions let it, and breaks off where the rest is too large.
 * Every configuration is handed on, as a tuner has to. */

enum { MAX_SHARED_BYTES = 49152, SM_SHARED_BYTES = 102400 };

struct visit {
	int values[10];
	uint64_t n, sum;
};

static __attribute__((noinline)) void visit(struct visit *v)
{
	v->n++;
	v->sum += (uint64_t)v->values[9];
}

static void hotspot_rest(struct visit *v, int x, int y, int t)
{
	for (int unroll = 1; unroll <= 10; unroll++) {
		if (t % unroll != 0)
			continue;
		v->values[7] = unroll;
		for (int power = 0; power <= 1; power++) {
			const int bytes = (x + t * 2) * (y + t * 2) * (2 + power) * 4;
			if (bytes > MAX_SHARED_BYTES)
				break;
			v->values[8] = power;
			for (int blocks = 0; blocks <= 4; blocks++) {
				if (blocks != 0 && bytes * blocks > SM_SHARED_BYTES)
					break;
				v->values[9] = blocks;
				visit(v);
			}
		}
	}
}

static void hotspot_tiles(struct visit *v, int block_x, int block_y)
{
	v->values[2] = block_x;
	v->values[3] = block_y;
	for (int tile_x = 1; tile_x <= 10; tile_x++) {
		v->values[4] = tile_x;
		for (int tile_y = 1; tile_y <= 10; tile_y++) {
			v->values[5] = tile_y;
			for (int t = 1; t <= 10; t++) {
				v->values[6] = t;
				hotspot_rest(v, block_x * tile_x, block_y * tile_y, t);
			}
		}
	}
}

static void hotspot(struct visit *v)
{
	for (int i = 0; i < 37; i++) {
		const int block_x = i < 5 ? 1 << i : (i - 4) * 32;
		for (int block_y = 1; block_y <= 32; block_y *= 2)
			if (block_x * block_y >= 32 && block_x * block_y <= 1024)
				hotspot_tiles(v, block_x, block_y);
	}
}

static void expdist_blocks(struct visit *v, int column)
{
	v->values[7] = column;
	for (int blocks = 1; blocks <= (column ? 1024 : 1); blocks *= 2) {
		v->values[9] = blocks;
		visit(v);
	}
}

static void expdist_rest(struct visit *v, int tile_x, int tile_y, int shared)
{
	v->values[2] = tile_x;
	v->values[3] = tile_y;
	v->values[4] = shared;
	for (int unroll_x = 1; unroll_x <= tile_x; unroll_x++) {
		if (tile_x % unroll_x != 0)
			continue;
		v->values[5] = unroll_x;
		for (int unroll_y = 1; unroll_y <= tile_y; unroll_y++) {
			if (tile_y % unroll_y != 0)
				continue;
			v->values[6] = unroll_y;
			for (int column = shared == 2; column <= 1; column++)
				expdist_blocks(v, column);
		}
	}
}

static void expdist(struct visit *v)
{
	for (int block = 0; block < 36; block++) { /* 6 x 6 of any size */
		v->values[0] = 1024 >> block / 6;
		v->values[1] = 1 << block % 6;
		for (int tile_x = 1; tile_x <= 8; tile_x++)
			for (int tile_y = 1; tile_y <= 8; tile_y++)
				for (int shared = 0; shared <= 2; shared++)
					expdist_rest(v, tile_x, tile_y, shared);
	}
}

static uint64_t run_hotspot(uint64_t *sum)
{
	struct visit v = {{4096, 4096}, 0, 0};

	hotspot(&v);
	*sum = v.sum;
	return v.n;
}

static uint64_t run_expdist(uint64_t *sum)
{
	struct visit v = {{0}, 0, 0};

	expdist(&v);
	*sum = v.sum;
	return v.n;
}

const struct space_loops space_loops[] = {
	{"/hotspot.json", run_hotspot}, {"/expdist.json", run_expdist}, {NULL, NULL}};
