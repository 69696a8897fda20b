/* Parts that strategies are made of; private to tuner/search. A strategy's structure begins with a
 * struct strategy, which strategy.c owns. */
#ifndef ASCTUNE_TUNE_SEARCH_STRATEGY_CORE_H
#define ASCTUNE_TUNE_SEARCH_STRATEGY_CORE_H

#include "tuner/base/stats/rng.h"
#include "tuner/tune/search/known_best.h"
#include "tuner/tune/search/shuffle.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/tune/search/visits.h"
#include "tuner/workload/space/space.h"

struct strategy {
	const struct strategy_ops *ops;
	struct strategy_options options;
	const struct space *space;
	struct rng rng;
	struct visits visits;
	struct known_best known; /* the first questions */
	size_t known_asked;      /* how many of them were asked */
	double known_score;      /* the lowest of their scores; infinite: none is told */
	struct shuffle order;    /* order of strategy_draw() */
	size_t devices;          /* that measure beside each other */
	size_t pending;          /* indices asked whose result is not told */
	size_t told;             /* results */
	size_t resumed;          /* indices of an earlier run (strategy_resume()) */
	double best;             /* lowest score above 0; infinite: none has passed */
	bool over;               /* strategy_draw() has nothing left */
};

/* True for an index that may be asked: not visited, and of this strategy's part. */
bool strategy_is_free(const struct strategy *s, uint64_t index);

/* Number of random indices that hold about `n` of this strategy's part; bounded, since a part may
 * be small. */
size_t strategy_draws(const struct strategy *s, size_t n);

/* Draws an index that was not visited, each equally likely. *found false: all were. */
enum asc_status strategy_draw(struct strategy *s, uint64_t *index, bool *found, struct asc_err *e);

/* Configurations near one, in a random order. Zeroed at first; free `list`. */
struct neighbourhood {
	uint64_t *list;
	size_t n, next; /* next: the first that was not looked at */
};

/* Finds the configurations that differ from `index` in one parameter, in place of those before. */
enum asc_status neighbourhood_find(struct strategy *s, uint64_t index, struct neighbourhood *out,
				   struct asc_err *e);

#endif
