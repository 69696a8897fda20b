/* Search strategies: each chooses the configurations to try next. A strategy never sees a device;
 * it works on the indices of a space.
 *
 * Asynchronous: ask may be called while earlier answers are pending, tell comes in any order. Every
 * index is asked at most once. */
#ifndef ASCTUNE_SEARCH_STRATEGY_H
#define ASCTUNE_SEARCH_STRATEGY_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/results/result.h"
#include "tuner/space/config.h"

struct space;
struct strategy;

/* A result from before the search. */
struct strategy_known {
	struct config config; /* values of the space's parameters; may be outside of the space */
	double score;         /* score as in tell */
	const char *device;   /* model that it was measured on */
};

/* Numbers that describe configurations beside their parameters: threads, bytes of a tile. */
struct strategy_features {
	const char *const *names;
	size_t n;
	void (*find)(const void *user, const struct config *c, double *figures);
	const void *user;
};

struct strategy_options { /* all pointers are borrowed until free */
	const struct space *space;
	uint64_t seed;
	uint64_t trials;        /* budget of the run in trials; 0: no limit */
	int64_t ns;             /* budget in time; 0: no limit */
	uint64_t default_index; /* the default configuration, which others have asked before */
	const struct strategy_known *history;
	size_t n_history;
	const struct strategy_features *features; /* NULL: none */
};

struct strategy_ops {
	const char *name;
	const char *summary;
	/* Makes a strategy. Equal options ask equal indices when told equal results in equal order.
	 */
	enum asc_status (*new)(const struct strategy_options *o, struct strategy **out,
			       struct asc_err *e);
	void (*free)(struct strategy *s);
	/* Asks: *n is the number wanted, at least 1; then the number in `list`. 0: nothing left to
	 * try. */
	enum asc_status (*ask)(struct strategy *s, uint64_t *list, size_t *n, struct asc_err *e);
	/* Takes the result of an index that was asked or skipped. The lower `score` is the better;
	 * infinite when the result has none. NULL: results decide nothing. */
	enum asc_status (*tell)(struct strategy *s, uint64_t index, const struct result *r,
				double score, struct asc_err *e);
	/* Excludes an index that others ask. */
	enum asc_status (*skip)(struct strategy *s, uint64_t index, struct asc_err *e);
};

/* Entries of strategy_list, each defined in a file of its own. */
extern const struct strategy_ops strategy_exhaustive, strategy_random;
extern const struct strategy_ops *const strategy_list[];
const struct strategy_ops *strategy_find(const char *name);

/* Strategy when none is named: exhaustive where the budget surely covers the space, else random. */
const struct strategy_ops *strategy_auto(const struct strategy_options *o);

#endif
