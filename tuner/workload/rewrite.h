/* Rewrites: what a class of device asks to be changed in the space or the launch that a workload
 * states.
 *
 * A workload names the rewrites that its kernel is made for. A rewrite is applied where the device
 * asks for it and the user has not switched it off; elsewhere the space and the launch are as
 * stated. There are two kinds: of a pair of parameters, which are equal where the rewrite is not
 * applied, and of the grid. Everything here is a table of pure functions. */
#ifndef ASCTUNE_WORKLOAD_REWRITE_H
#define ASCTUNE_WORKLOAD_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/workload/space/config.h"

struct buf;
struct implementation;
struct rewrite_use;

enum { REWRITE_MAX = 32 };

struct rewrite_ops {
	const char *name, *summary;
	const char *source;         /* source of the rule */
	const char *effect;         /* effect on a space or a launch */
	const char *const *devices; /* classes that ask for it, NULL-terminated */
	const char *pair; /* description of its two parameters, for messages; NULL: it changes the
			     grid */

	/* Checks that an implementation has what the rewrite needs; ASC_INPUT says what is missing.
	 */
	enum asc_status (*check)(const struct implementation *i, const struct rewrite_use *u,
				 struct asc_err *e);
	/* Pair: appends the condition that takes the place of their equality; equal values meet
	 * it. */
	void (*relax)(const struct implementation *i, const struct rewrite_use *u, struct buf *out);
	/* Grid: folds one that does not fit. */
	void (*fold)(int64_t grid[3]);
};

extern const struct rewrite_ops rewrite_square_block; /* what an imported autotune list is given */
extern const struct rewrite_ops *const rewrite_list[];
const struct rewrite_ops *rewrite_find(const char *name);
bool rewrite_asked(const struct rewrite_ops *r, const char *device); /* cpu, cuda, npu */

/* Sets of rewrites: one bit each. */
unsigned rewrite_bit(const struct rewrite_ops *r);

/* ---- square-block ---- */

/* One configuration of an imported autotune list, with its own keys. */
struct autotune_entry {
	const char *const *names; /* config.n */
	struct config config;
};

/* Changes a list of exactly three configurations, each with exactly two keys whose name contains
 * BLOCK_SIZE, both 32, then both 64, then both 128, to (32,64), (64,128), (128,64), first key
 * first: true. Any other list stays. Rule: ninetoothed's Ascendifier
 * (InfiniTensor/ninetoothed@77e959a src/ninetoothed/ascendifier.py). */
bool rewrite_square_list(struct autotune_entry *list, size_t n);

/* ---- key-filter ---- */

/* Keys kept at most: one for each axis that triton-ascend knows, x y z w v t. */
enum { REWRITE_MAX_KEYS = 6 };

/* Keeps, of an imported autotuner's keys, those whose name contains `size`: plain names first, then
 * those with `constexpr`, then those with `next_power_of_2`, otherwise in their order, the first
 * REWRITE_MAX_KEYS of them; returns their number. Rule: ninetoothed's Ascendifier
 * (InfiniTensor/ninetoothed@77e959a src/ninetoothed/ascendifier.py). */
size_t rewrite_key_filter(const char **keys, size_t n);

/* ---- square-block in a space ---- */

/* Partner of values[at] in a space: the next value, for the last one that before it; `at` where
 * there is only one value. */
size_t rewrite_square_partner(size_t at, size_t n);

/* ---- axis-limit ---- */

/* Blocks launched at most: coreDim of rtKernelLaunch, the product of the grid's axes, is 1 to
 * 65535. */
enum { REWRITE_MAX_BLOCKS = 65535 };

#endif
