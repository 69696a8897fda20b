/* Which of several configurations that were measured in the same rounds is chosen, which are tied
 * with it, and how sure that is. Pure. */
#ifndef ASCTUNE_MODEL_TIE_H
#define ASCTUNE_MODEL_TIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/stats.h"

#define TIE_MARGIN 0.005 /* smaller differences are not called better */

/* How a finalist compares with the chosen one, by the interval of the ratio of their times. id,
 * name */
#define STANDING_LIST(X)                                                                           \
	X(TIED, "tied")     /* within 0.95 .. 1.10, and may be as fast */                          \
	X(UNSURE, "unsure") /* not shown slower, the interval is too wide for a tie */             \
	X(SLOWER, "slower") /* slower beyond the margin, or left the rounds for it */

enum standing {
#define X(id, name) STANDING_##id,
	STANDING_LIST(X)
#undef X
};

const char *standing_name(enum standing s);
enum standing standing_parse(const char *name); /* what is no name: STANDING_UNSURE */

/* How sure an answer is. id, name */
#define SURE_LIST(X)                                                                               \
	X(UNKNOWN, "")                  /* nothing was compared */                                 \
	X(CLEAR, "clear winner")        /* all others were shown slower */                         \
	X(TIE, "tie")                   /* others may be as fast */                                \
	X(NOISY, "too noisy to rank")   /* others may be more than 5 % faster */                   \
	X(UNUSABLE, "no usable result") /* slower than its own default, or nothing passed */

enum sure {
#define X(id, name) SURE_##id,
	SURE_LIST(X)
#undef X
};

const char *sure_name(enum sure s);
enum sure sure_parse(const char *name); /* NULL and what is no name: SURE_UNKNOWN */

struct sureness {
	enum sure sure;
	size_t ties;      /* that may be the fastest, the chosen one among them */
	double noise_pct; /* middle half width of the intervals of those others; 0: none */
};

enum { SURE_TEXT_SIZE = 48 };

/* "clear winner", "4 tie", "too noisy to rank (±16 %)", "no usable result"; returns `text`. */
const char *sure_print(const struct sureness *s, char text[SURE_TEXT_SIZE]);

struct finalist {
	/* Given; borrowed. */
	const int64_t *samples; /* ns a launch, one for each round from the first */
	const int64_t *notes;   /* of each sample, as in struct result; NULL: nothing is known */
	size_t rounds;          /* at least 1; fewer than others: it was clearly slower then */
	const char *key;        /* of the configuration: the smaller one decides last */
	double threads;         /* times registers where these are known */
	double memory_bytes;    /* shared memory, or scratch */
	size_t implementation;  /* number of its implementation */
	bool preset;            /* it is the default configuration of that */
	bool recorded;          /* it is the best on record */
	/* Found. */
	struct stats_summary time; /* of the clean samples, where there are enough */
	double ratio; /* median over the rounds of time / time of the chosen one; of that exactly 1
		       */
	struct stats_interval interval; /* of the ratio; the range where there is none */
	enum standing standing;
	bool chosen;
};

/* Two are compared round by round. Where more than a fifth of the samples of one are marked, and
 * each has at least six clean ones, these are compared instead, each with each: the estimate of
 * Hodges and Lehmann, with the interval of the rank sum test (Hollander, Wolfe, Chicken,
 * "Nonparametric Statistical Methods", 4.2 and 4.3).
 *
 * Of those with all rounds, the leader has the lowest median. Whoever is within `margin` of that,
 * in median and in the median of the ratios, and tied with the leader, is as good: of these the
 * best on record is chosen, else what uses less (threads, then memory, then the smaller key). Then
 * all are compared with the chosen one. n > 0. Fails only when out of memory. */
enum asc_status tie_find(struct finalist *list, size_t n, double margin, struct asc_err *e);

/* By ratio, interval and standing of finalists. `chosen` is one of them. Fails only when out of
 * memory. */
enum asc_status sure_find(const struct finalist *list, size_t n, const struct finalist *chosen,
			  double margin, struct sureness *out, struct asc_err *e);

/* Of an interval of ratios. `whole`: they are of all rounds. */
enum standing standing_find(const struct stats_interval *ratio, bool whole, double margin);

/* Median and interval of a / b over rounds in which both took a sample; n > 0. */
enum asc_status tie_ratio(const int64_t *a, const int64_t *b, size_t n, double *ratio,
			  struct stats_interval *interval, struct asc_err *e);

#endif
