/* The strategy `random`: uniformly random, without replacement. */
#include "tuner/tune/search/strategy_core.h"

const struct strategy_ops strategy_random = {
	.name = "random",
	.summary = "uniformly random, without replacement",
	.size = sizeof(struct strategy),
	.next = strategy_draw,
};
