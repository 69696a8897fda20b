#include "tuner/search/strategy.h"

#include <string.h>

#include "tuner/space/space.h"

const struct strategy_ops *const strategy_list[] = {&strategy_exhaustive, &strategy_random, NULL};

const struct strategy_ops *strategy_find(const char *name)
{
	for (size_t i = 0; strategy_list[i]; i++)
		if (strcmp(strategy_list[i]->name, name) == 0)
			return strategy_list[i];
	return NULL;
}

/* Prefers random where time may end before the space does: a part of the space should not be its
 * first corner. */
const struct strategy_ops *strategy_auto(const struct strategy_options *o)
{
	bool covered = o->ns == 0 && (o->trials == 0 || space_count(o->space) <= o->trials);

	return covered ? &strategy_exhaustive : &strategy_random;
}
