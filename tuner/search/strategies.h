/* The entries of strategy_list, each defined in a file of its own. A new strategy is its file, a
 * line here and a line in strategy.c. */
#ifndef ASCTUNE_SEARCH_STRATEGIES_H
#define ASCTUNE_SEARCH_STRATEGIES_H

#include "tuner/search/strategy.h"

extern const struct strategy_ops strategy_exhaustive, strategy_random;

#endif
