/* The fastest configurations of a search, as the positions of their values: what strategies that
 * combine configurations work on. The caller owns the storage. */
#ifndef ASCTUNE_TUNE_SEARCH_POPULATION_H
#define ASCTUNE_TUNE_SEARCH_POPULATION_H

#include "tuner/tune/search/strategy_core.h"

enum { POPULATION_MAX = 20, POPULATION_TRIES = 30 };

struct member {
	uint64_t index;
	double score;
	uint16_t picks[CONFIG_MAX_PARAMETERS];
};

struct population { /* zeroed at first */
	struct member members[POPULATION_MAX];
	size_t n;
};

/* Takes a result: it replaces the slowest member where that is slower; a failure is no member. */
void population_add(struct population *p, const struct space *space, uint64_t index, double score);

/* Draws a member; there must be one. */
const struct member *population_draw(const struct population *p, struct rng *r);

/* Makes the next configuration of a strategy with `cross`, which writes the picks of a new one.
 * While there are too few members, and where nothing new comes of many tries: draws at random. */
typedef void population_cross_fn(struct strategy *s, uint16_t *picks);
enum asc_status population_next(struct strategy *s, const struct population *p,
				population_cross_fn *cross, uint64_t *index, bool *found,
				struct asc_err *e);

#endif
