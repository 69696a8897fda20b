#include "tuner/search/strategy.h"

#include <string.h>

#include "tuner/search/strategies.h"

const struct strategy_ops *const strategy_list[] = {&strategy_exhaustive, &strategy_random, NULL};

const struct strategy_ops *strategy_find(const char *name)
{
	for (size_t i = 0; strategy_list[i]; i++)
		if (strcmp(strategy_list[i]->name, name) == 0)
			return strategy_list[i];
	return NULL;
}
