/* Who takes part in finals: the candidates of a search, and the finalists that are chosen from
 * them, as far as there is time. Plain data, nothing is measured here. */
#ifndef ASCTUNE_TUNE_FINALISTS_H
#define ASCTUNE_TUNE_FINALISTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/result/result.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/workload/space/config.h"

struct impl_searches;
struct policy;
struct trial;

enum { CANDIDATES_MAX_REFERENCES = 32 };

struct candidate {
	size_t search;
	struct config config;
	double score; /* score by the policy */
	double median_ns;
	double sample_ns; /* time of a sample with everything around it, flushes included */
	double warm_ns;   /* time that its functions of a Python take to get warm in each process */
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

/* ---- finalists ---- */

struct finalists {                                   /* zeroed at first, but for the candidates */
	const struct candidates *candidates;         /* borrowed */
	struct candidate best;                       /* the best on record */
	bool has_best;                               /* it is in a space of this run */
	const struct candidate *list[FINALISTS_MAX]; /* of the candidates, or `best` */
	size_t n;
	bool keeps_default; /* that of the first implementation is not left out */
	size_t n_unfit;     /* number that was left out for want of time, */
	size_t n_late;      /* and those among them of which finalists_may_be_best() is true, */
	size_t n_beside;    /* and those that the answer would be compared with */
	size_t n_recalled;  /* candidates that the search dropped and take part nevertheless */
};

/* Chooses. The order matters where the list is full: the best on record and the references come
 * first, because the answer is compared with them; with `given` all candidates follow, which a
 * caller asked for. Of the rest those follow by median whose interval reaches down to the lowest
 * median times finals.ratio: by times of other moments they may be the fastest. */
void finalists_choose(struct finalists *f, const struct policy *r, bool given);

/* Adds the fastest candidates that the search dropped as slow, where they are faster than all
 * finalists: the incumbent that they were slower than has failed since. True when there are any. */
bool finalists_add_dropped(struct finalists *f);

/* Finds the default of the first implementation that has one here; f->n: there is none. */
size_t finalists_find_default(const struct finalists *f);

/* Leaves out finalists until the fewest rounds of those left, and what is warmed before them, fit
 * into the time left, ns: first the highest medians of others than the two fastest, the references
 * and the best on record; then, of these, what takes the most time, but the second and the default
 * of the fastest last. The fastest stays in any case, and with keeps_default the default: alone it
 * has nothing to be compared with. */
void finalists_fit(struct finalists *f, const struct policy *r, double left_ns);

/* True for a candidate whose interval reaches down to tests.near times the lowest median. That is
 * nearer than finals.ratio, by which finalists are chosen: an answer that was not compared with
 * such a candidate is undecided. */
bool finalists_may_be_best(const struct finalists *f, const struct policy *r,
			   const struct candidate *c);

/* Time of the fewest rounds of the two lowest medians and the default beside them, and of a trial
 * that is not over when they are to begin, ns. */
double finalists_least_ns(const struct policy *r, const struct candidates *c);

#endif
