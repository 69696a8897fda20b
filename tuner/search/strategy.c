#include "tuner/search/strategy.h"

#include <string.h>

extern const struct strategy_ops exhaustive_strategy;
extern const struct strategy_ops random_strategy;

const struct strategy_ops *const strategy_list[] = {&exhaustive_strategy, &random_strategy, NULL};

const struct strategy_ops *strategy_find(const char *name)
{
	for (size_t i = 0; strategy_list[i]; i++)
		if (strcmp(strategy_list[i]->name, name) == 0)
			return strategy_list[i];
	return NULL;
}
