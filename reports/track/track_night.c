#include "reports/track/track_night.h"

#include <stdlib.h>

#include "reports/track/track_history.h"
#include "reports/track/track_known.h"
#include "reports/track/track_series.h"
#include "tuner/result/tracked_metric.h"

/* 18 hours: an evening and the morning behind it are one night in every time zone. */
static const int64_t day_ms = 86400000, reach_ms = 18 * INT64_C(3600000);

int64_t track_night_of(const struct track_history *h, int64_t ms)
{
	const int64_t since = ms - (h->newest_ms - reach_ms) - 1;

	/* Rounded down: C rounds towards 0. */
	return (since - (since < 0 ? day_ms - 1 : 0)) / day_ms;
}

int64_t track_night_ms(const struct track_history *h, int64_t night)
{
	return h->newest_ms + night * day_ms;
}

/* ---- the history without its newest night ---- */

/* Number of points from before the newest night. */
static size_t count_before(const struct track_history *h, size_t series)
{
	const struct track_point *points = track_history_points(h, series);
	size_t n = h->list[series].n;

	while (n > 0 && track_night_of(h, points[n - 1].started_ms) >= 0)
		n--;
	return n;
}

/* Judges a series without the newest night. A series without a new change, drift or doubt keeps its
 * verdict, and its p for the control for false discoveries. */
static enum asc_status judge(const struct track_history *h, size_t series,
			     const struct track_rule *rule, struct track_series *past,
			     struct asc_err *e)
{
	const struct track_series *s = &h->list[series];
	struct track_rule own = *rule;

	*past = (struct track_series){.name = s->name,
				      .implementation = s->implementation,
				      .metric = s->metric,
				      .tracked = s->tracked,
				      .wanted_pct = s->wanted_pct,
				      .values = s->values,
				      .points = s->points,
				      .n = s->n,
				      .verdict = s->verdict,
				      .p = s->p};
	/* Other verdicts are never new, and judging is what takes time. */
	if (s->verdict != TRACK_REGRESSION && s->verdict != TRACK_IMPROVEMENT &&
	    s->verdict != TRACK_DRIFTING && s->verdict != TRACK_UNDECIDED)
		return ASC_OK;
	if (s->tracked)
		own.least_pct = s->tracked->least_pct;
	past->n = count_before(h, series);
	return track_series_judge(past, &own, e);
}

/* ---- what is new ---- */

/* Finds the night before the newest one; 0: there is none. */
static int64_t find_last_night(const struct track_history *h)
{
	int64_t last = INT64_MIN;

	for (size_t k = 0; k < h->n; k++) {
		const size_t n = count_before(h, k);
		const int64_t night =
			n ? track_night_of(h, track_history_points(h, k)[n - 1].started_ms)
			  : INT64_MIN;

		last = night > last ? night : last;
	}
	return last == INT64_MIN ? 0 : last;
}

/* True where a series has another verdict than it would have without the newest night. A kernel
 * that is broken is new if it passed in the night before, whose number is `last`: the history
 * without the newest night knows of no failures. */
static bool is_fresh(const struct track_history *h, const struct track_history *past, size_t series,
		     int64_t last)
{
	const struct track_series *s = &h->list[series];

	/* The newest night has not measured it, or its run was left out as noisy. */
	if (track_night_of(h, s->newest_ms) < 0 || s->newest.disturbed)
		return false;
	if (s->verdict != TRACK_BROKEN)
		return s->n > 1 && past->list[series].verdict != s->verdict;
	return s->n > 0 &&
	       track_night_of(h, track_history_points(h, series)[s->n - 1].started_ms) >= last;
}

enum asc_status track_night_find_fresh(const struct track_history *h, struct db *d,
				       const struct track_rule *rule, bool *fresh,
				       struct asc_err *e)
{
	struct track_history past = *h;

	/* The history as it was without the newest night, judged as the whole one is, with which
	 * it has points and texts in common; causes and baselines are left out. */
	past.list = calloc(h->n_all + 1, sizeof *past.list);
	if (!past.list)
		return asc_err_nomem(e);
	enum asc_status status = ASC_OK;

	for (size_t k = 0; k < h->n_all && status == ASC_OK; k++)
		status = judge(h, k, rule, &past.list[k], e);
	if (status == ASC_OK)
		status = track_series_control(past.list, past.n_all, rule, e);
	if (status == ASC_OK)
		status = track_known_place(&past, d, rule, e);
	if (status == ASC_OK)
		status = track_known_apply(&past, d, e);
	const int64_t last = find_last_night(h);

	for (size_t k = 0; k < h->n && status == ASC_OK; k++)
		fresh[k] = is_fresh(h, &past, k, last);
	for (size_t k = 0; k < h->n_all; k++)
		track_series_fini(&past.list[k]);
	free(past.list);
	return status;
}
