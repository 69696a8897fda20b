/* The order in which all outputs have the series of a history, those with one cause together, and
 * their counts: decided here once, for the terminal, files and the page.
 *
 * First by verdict, the worst first, what is probably the machine's last of each, then the newest
 * night. Series of one verdict that changed in one night with one new driver, or with the machine,
 * are a group: one finding. So are broken implementations of one problem. Baselines are controls:
 * unless nothing of them passes any more, they are neither listed nor counted. The
 * caller owns the storage: track_groups_fini(). */
#ifndef ASCTUNE_TRACK_TRACK_GROUPS_H
#define ASCTUNE_TRACK_TRACK_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/track/track_series.h"
#include "tuner/base/err.h"

struct track_history;

struct track_entry {
	const struct track_series *series;
	int64_t night; /* track_night_of() of its change, else of its newest run */
	char *cause;   /* what explains the changes of a group: "driver 7.0, was 6.1"; NULL: none */
	bool listed;   /* listed by itself; others are only counted */
	size_t finding; /* number of its group among the listed ones, from 1; 0: not listed */
};

enum { TRACK_OFF_MOST = 3 };

struct track_counts {                           /* numbers of series of times, but for `metrics` */
	size_t of[TRACK_VERDICT_COUNT];         /* by verdict, without short ones and baselines */
	size_t metrics[TRACK_VERDICT_COUNT];    /* series of tracked metrics */
	size_t by_machine[TRACK_VERDICT_COUNT]; /* of these, probably the machine's */
	size_t reasons;                         /* groups of slower ones */
	size_t n_short;                         /* with too few points to judge */
	size_t baselines;                       /* not among the others */
	size_t acknowledged;
	/* of undecided ones how far the newest point is above its level, and below it, in percent:
	 * their numbers, and the farthest */
	size_t n_off[2];
	double off[2][TRACK_OFF_MOST];
	double least_floor, most_floor; /* of unchanged ones, in percent; 0: unknown */
	/* of all series: track_series_fails(), track_series_is_skipped(); and those whose change,
	 * or cause, is not certain */
	size_t failing, skipped, uncertain;
};

/* Counts a series, but for `reasons`. */
void track_counts_add(struct track_counts *c, const struct track_series *s);

struct track_groups {
	struct track_entry *list; /* all series */
	size_t n;
	struct track_counts counts;
};

enum asc_status track_groups_find(const struct track_history *h, struct track_groups *out,
				  struct asc_err *e);
void track_groups_fini(struct track_groups *g);

/* Number of entries of the group that begins at index `first`; 1 where it is not listed. */
size_t track_groups_size(const struct track_groups *g, size_t first);

#endif
