/* Configurations of a search that may take part in its finals. */
#ifndef ASCTUNE_TUNE_CANDIDATES_H
#define ASCTUNE_TUNE_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/result/result.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/workload/space/config.h"

struct impl_searches;
struct trial;

enum { CANDIDATES_MAX_REFERENCES = 32 };

struct candidate {
	size_t search;
	struct config config;
	double score; /* score by the policy */
	double median_ns;
	double sample_ns; /* time of a sample with everything around it, flushes included */
	double low_ns;    /* lower end of the interval of the median, or of the range where there is
			     none */
	enum result_status status;
	bool is_default; /* the default configuration of its implementation */
	bool known;      /* among loop_options.first */
	bool recorded;   /* the best on record, chosen in finals */
	bool counted;    /* its result is one of this run's */
	bool resumed;    /* its result was taken from the database: a trial of an earlier run */
};

/* Three lists. `list`: the fastest so far, in order. `dropped`: the fastest that early stopping
 * dropped, in order; they may take part when the incumbent of then has failed. `references`: the
 * default of each implementation, the fastest of the baseline, and known configurations; they take
 * part however slow they are. The caller's storage, zeroed at first. */
struct candidates {
	struct candidate list[FINALISTS_MAX], dropped[FINALISTS_MAX];
	size_t n, n_dropped;
	struct candidate references[CANDIDATES_MAX_REFERENCES];
	size_t n_references;
};

/* Adds a candidate that passed, is undecided, or was dropped for being slow. */
void candidates_add(struct candidates *c, const struct impl_searches *searches,
		    const struct trial *t, double score, bool resumed);

/* Removes a candidate that has failed since. */
void candidates_withdraw(struct candidates *c, size_t search, const struct config *config);

/* Finds the fastest candidate that passed; NULL: none. */
const struct candidate *candidates_find_best(const struct candidates *c);

/* True for the same configuration of the same search. */
bool candidate_is_same(const struct candidate *a, const struct candidate *b);

#endif
