/* Patience of a user with a search: when it ends before its budget, since the rest of it promises
 * too little. It looks at results, so that all strategies and implementations of a problem are
 * judged alike, and asks strategies that have an expectation of their own.
 *
 * The caller owns the storage, zeroed but for `wanted`: patience_fini(). */
#ifndef ASCTUNE_TUNE_SEARCH_PATIENCE_H
#define ASCTUNE_TUNE_SEARCH_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct buf;

struct patience_wanted { /* both 0: the whole budget */
	double part;     /* least gain that is expected of the rest, as a part of the best time */
	uint64_t trials; /* most results in a row that gained nothing */
};

struct patience {
	struct patience_wanted wanted;
	float *best; /* logarithm of the best score after each result; infinite: none had passed */
	size_t n, room;
	float *lowest; /* logarithms of the lowest scores, ascending */
	size_t n_lowest, lowest_room, passed;
	float since_best;            /* logarithm of the best score at the last gain */
	size_t gained_at, passed_at; /* number of results at the last gain, at the last pass; 0:
					none */
	bool over;                   /* patience_check() has found so */
	double expected; /* gain that was expected of the rest then, in parts of the best time;
			    infinite: not known, since too few passed */
};

bool patience_is_wanted(const struct patience_wanted *w);

/* Parses `1%` (of the best time) or `50` (trials). False for anything else. */
bool patience_parse(const char *text, struct patience_wanted *out);
void patience_print(const struct patience_wanted *w, struct buf *out); /* reads back */

void patience_fini(struct patience *p);

/* Adds a result, unless nothing is wanted; the score is infinite for a failure. */
enum asc_status patience_add(struct patience *p, double score, struct asc_err *e);

/* Gain that is expected when there are `ratio` times as many results as now, as a part of the best
 * time: infinite below 50 results, and while too few have passed. It is the larger of two: what
 * each doubling of their number gained since a quarter of them was there; and what as many draws of
 * a random search gain whose times have the same tail, of which the best tenth is seen: beyond
 * 40,960 passes the 4096 lowest. */
double patience_expect(const struct patience *p, double ratio);

/* True when the search is to end, now or since an earlier call. With `part` the gain that
 * strategies expect (strategy_expect(), a logarithm) has to be below it, too. While no gain can be
 * expected for want of passes, it ends with `part` when so many results in a row failed that less
 * than that part of the rest is expected to pass: 1 / part of them, at least 50. */
bool patience_check(struct patience *p, double ratio, double told);

#endif
