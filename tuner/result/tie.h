/* The choice among configurations that were measured in the same rounds: the chosen one, those that
 * are tied with it, and how sure that is. Pure. */
#ifndef ASCTUNE_RESULT_TIE_H
#define ASCTUNE_RESULT_TIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/stats/stats.h"

enum { TIE_LEAST_CLEAN = 6 }; /* fewer clean samples say too little to count alone */

#define TIE_MARGIN 0.005 /* smaller differences are not called better */

/* Standings of a finalist beside the chosen one, by the interval of the ratio of their times. id,
 * name, name in databases */
#define STANDING_LIST(X)                                                                           \
	X(TIED, "tied", "tied")             /* within 0.95 .. 1.10, and may be as fast */          \
	X(UNDECIDED, "undecided", "unsure") /* not shown slower, the interval too wide to tie */   \
	X(SLOWER, "slower", "slower")       /* slower beyond the margin, or left the rounds */

enum standing {
#define X(id, ...) STANDING_##id,
	STANDING_LIST(X)
#undef X
};

const char *standing_name(enum standing s);
const char *standing_recorded_name(enum standing s);
enum standing standing_parse(const char *name); /* of either kind; unknown: STANDING_UNDECIDED */

enum { STANDING_TEXT_SIZE = 48 };

/* Prints a standing's name, "slower, left after 8 rounds" for one that is slower without an
 * interval that shows it; returns `text`. */
const char *standing_print(enum standing s, bool shown, int64_t rounds,
			   char text[STANDING_TEXT_SIZE]);

/* True for a finalist that may be the fastest; the chosen one always may. */
bool standing_may_lead(enum standing s, bool chosen);

/* Degrees of certainty of an answer. Three words say that nothing better is known: tie, undecided,
 * not compared. id, name, name in databases: their views know those of earlier versions */
#define SURE_LIST(X)                                                                               \
	X(UNKNOWN, "", "")                             /* nothing was compared */                  \
	X(CLEAR, "clear winner", "clear winner")       /* all others were shown slower */          \
	X(TIE, "tie", "tie")                           /* others may be as fast */                 \
	X(UNDECIDED, "undecided", "too noisy to rank") /* others may be more than 5 % faster */    \
	X(UNRANKED, "not compared: time ran out before the finals",                                \
	  "not ranked: time ran out before the finals") /* nothing, for want of time */            \
	X(UNUSABLE, "no usable result",                                                            \
	  "no usable result") /* slower than its own default, or nothing passed */

enum sure {
#define X(id, ...) SURE_##id,
	SURE_LIST(X)
#undef X
};

const char *sure_name(enum sure s);
const char *sure_recorded_name(enum sure s);
enum sure sure_parse(const char *name); /* of either kind; NULL and unknown names: SURE_UNKNOWN */

struct sureness {
	enum sure sure;
	size_t ties;      /* number that may be the fastest, the chosen one included */
	double noise_pct; /* median half width of the intervals of the others; 0: none */
};

enum { SURE_TEXT_SIZE = 48 };

/* Prints "clear winner", "tie of 4", "undecided (ratios ±16 %)", "no usable result", "not
 * compared"; the short form leaves out what is in brackets, which the last one prints, "" where
 * there is nothing. Each returns `text`. */
const char *sure_print(const struct sureness *s, char text[SURE_TEXT_SIZE]);
const char *sure_print_short(const struct sureness *s, char text[SURE_TEXT_SIZE]);
const char *sure_print_noise(const struct sureness *s, char text[SURE_TEXT_SIZE]);

struct result;

struct finalist {
	/* Given; borrowed. */
	const int64_t *samples; /* ns a launch, one for each round from the first */
	const int64_t *notes;   /* note of each sample, as in struct result; NULL: none */
	size_t rounds;       /* number of samples, at least 1; fewer than others: dropped as clearly
				slower */
	const char *key;     /* key of the configuration; the smaller one decides last */
	double threads;      /* threads, times registers where these are known */
	double memory_bytes; /* shared memory and scratch together */
	size_t implementation; /* number of its implementation */
	bool is_default;       /* the default configuration of that implementation */
	bool recorded;         /* the best on record */
	/* Found. */
	bool chosen;
	enum standing standing;
	struct stats_summary time; /* summary of the clean samples, where there are enough */
	double ratio; /* median over the rounds of time / time of the chosen one; for that exactly 1
		       */
	struct stats_interval interval; /* interval of the ratio; the range where there is none;
					   NaN for one that was dropped for being slower than a
					   finalist other than the chosen one, and whose rounds do
					   not show it slower than that */
};

/* Facts of the kernel, where the device tells them, take the place of f's threads and memory: a
 * table names those that decide ties. `block_threads` is of a block of the launch. */
void tie_apply_facts(struct finalist *f, const struct result *r, double block_threads);

/* Chooses among finalists and compares all with the chosen one.
 *
 * Two finalists are compared round by round, in the rounds in which the samples of both are clean
 * where there are six, as when one leaves early. Where more than a fifth of the samples of one are
 * marked, and each has at least six clean ones, these are compared each with each: the estimate of
 * Hodges and Lehmann, with the interval of the rank sum test (Hollander, Wolfe, Chicken,
 * "Nonparametric Statistical Methods", 4.2 and 4.3).
 *
 * Of finalists with all rounds, the leader has the lowest median; where another one is faster than
 * it by more than `margin`, round by round, that one leads. A finalist within `margin` of it,
 * in median and in the median of the ratios, and tied with it, is as good: of these the best on
 * record is chosen, else the one that uses less (threads, then memory, then the smaller key). Then
 * all are compared with the chosen one. n > 0. Fails only when out of memory. */
enum asc_status tie_find(struct finalist *list, size_t n, double margin, struct asc_err *e);

/* Finds how sure an answer is, by ratio, interval and standing of finalists. `chosen` is one of
 * them; alone it is compared with nothing. Fails only when out of memory. */
enum asc_status sure_find(const struct finalist *list, size_t n, const struct finalist *chosen,
			  double margin, struct sureness *out, struct asc_err *e);

/* Standing of an interval of ratios. `whole`: the ratios are of all rounds. */
enum standing standing_find(const struct stats_interval *ratio, bool whole, double margin);

/* Finds median and interval of a / b over rounds in which both took a sample; n > 0. */
enum asc_status tie_ratio(const int64_t *a, const int64_t *b, size_t n, double *ratio,
			  struct stats_interval *interval, struct asc_err *e);

/* Interval of the median of a time. Few samples have none: their range is widened on both sides by
 * as much again and by a fraction of the median, a quarter for one sample, down to a quarter of the
 * shortest at most: times are positive. */
struct stats_interval tie_interval(const struct stats_summary *t);

/* Finds the ratio a / b of two medians of different moments, n > 0 samples each. Their intervals
 * give one of the ratio that is too wide rather than too narrow. */
double tie_ratio_of_medians(const struct stats_summary *a, const struct stats_summary *b,
			    struct stats_interval *interval);

#endif
