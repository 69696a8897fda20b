/* Result of measuring two sides again in the same rounds: what was before, and what is now. Plain
 * data, and the verdict on it. */
#ifndef ASCTUNE_RESULT_CONFIRMATION_H
#define ASCTUNE_RESULT_CONFIRMATION_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/stats/stats.h"

struct buf;

enum { CONFIRMATION_SESSIONS = 3, CONFIRMATION_MOST = 9 }; /* processes, fewest and most */
enum confirmation_side { CONFIRMATION_BEFORE, CONFIRMATION_AFTER, CONFIRMATION_SIDES };

/* Ratio after / before, with its interval. */
struct confirmation_ratio {
	double ratio, low, high;
};

/* A session is a series of rounds in a worker process of its own: where a process lies in memory is
 * a source of noise that no number of rounds within one averages out. */
struct confirmation {
	struct confirmation_session {
		struct stats_summary time[CONFIRMATION_SIDES];
		double ratio; /* after / before, median of the rounds */
		struct stats_interval
			interval; /* interval of the ratio; the range where there is none */
		size_t rounds;    /* that both sides have */
	} sessions[CONFIRMATION_MOST];
	size_t n;                         /* number of sessions that both sides passed */
	struct confirmation_ratio rounds; /* of the rounds of all sessions as one series; n > 0 */
	bool stored[CONFIRMATION_SIDES];  /* the recorded artifact was used; else one built from
					     today's sources */
	/* Digest of each side's artifact; "": it has none, or was not built. */
	char digest[CONFIRMATION_SIDES][40];
	bool same;         /* both sides are the same artifact and configuration */
	bool same_code;    /* both are the same bytes, launched alike, whatever made them */
	bool unsteady;     /* more than 5 % of the samples are marked */
	char reason[1024]; /* reason for sessions that failed; "": none did */
	bool gone;         /* a side that is to be measured as recorded has no artifact any more */
	bool failed;       /* a side did not pass: the reason is its failure */
	bool fails[CONFIRMATION_SIDES]; /* sides that did not: the other one may not have been tried
					 */
	/* True for a side whose outputs are not those of the reference, which is that failure. */
	bool wrong[CONFIRMATION_SIDES];
};

/* Finds the median of the ratios of all sessions, with the widest interval; and the median of one
 * side's times. c->n > 0 */
struct confirmation_ratio confirmation_find_ratio(const struct confirmation *c);
double confirmation_find_time(const struct confirmation *c, enum confirmation_side side);

/* Finds the ratio of all rounds as one series, its interval widened to the 99 % interval of the
 * processes' ratios, 99.5 % where there are more than three, by Student's t on their logarithms:
 * where processes scatter, rounds within them promise too much. Fewer than two have no such
 * interval: it is 0 .. INFINITY. */
struct confirmation_ratio confirmation_find_all(const struct confirmation *c);

/* Appends an interval that does not decide, in words: "1.1x slower and 7.8x faster", in percent
 * below a tenth. */
void confirmation_print_range(const struct confirmation_ratio *r, struct buf *out);

/* Verdicts on the second side beside the first. id, name */
#define CONFIRMATION_VERDICT_LIST(X)                                                               \
	X(SAME, "same")     /* neither takes longer */                                             \
	X(FASTER, "faster") /* beyond the margin */                                                \
	X(SLOWER, "slower")                                                                        \
	X(UNDECIDED, "undecided") /* the interval is too wide, or nothing was measured */          \
	X(BROKEN, "broken")       /* a side did not pass */

enum confirmation_verdict {
#define X(id, name) CONFIRMATION_##id,
	CONFIRMATION_VERDICT_LIST(X)
#undef X
};

const char *confirmation_verdict_name(enum confirmation_verdict v);

/* Judges by the interval `r` of the ratio: the widest of a session (confirmation_find_ratio()), or
 * that of all together (confirmation_find_all()). Slower, or faster, where that lies beyond the
 * margin and the ratio of each session does, too.
 * The same where the interval is that of a tie (confirmation_is_tied()), reaches the margin, and
 * stays below `same` on both sides: CONFIRMATION_SAME_BELOW, with which the ratio itself is not
 * above the margin, either; or INFINITY. */
enum confirmation_verdict confirmation_judge(const struct confirmation *c,
					     const struct confirmation_ratio *r, double margin,
					     double same);

/* True where CONFIRMATION_MOST sessions may decide what those that are there do not: the interval
 * that so many would have which scatter as these do is judged, the ratio moved by its error either
 * way. */
bool confirmation_may_decide(const struct confirmation *c, double margin, double same);

/* Ratio that a change of the source has to stay below to be called equal: a slow-down of 5 % is not
 * let through. */
#define CONFIRMATION_SAME_BELOW 1.05

/* True where an interval of ratios says that neither time is the longer one (result/tie). */
bool confirmation_is_tied(double low, double high, double margin);

#endif
