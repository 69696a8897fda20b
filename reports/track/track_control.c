#include "reports/track/track_control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/changepoint/changepoint_level.h"
#include "reports/track/changepoint/changepoint_outlier.h"
#include "reports/track/track_cause.h"
#include "reports/track/track_history.h"
#include "reports/track/track_series.h"
#include "tuner/result/baselines.h"

enum { LEAST_BEFORE = 3 }; /* runs before a change: fewer have no level */

static const double least_log = 0.01; /* 1 %: a smaller change of the ratio is none, as of times */
/* Part of the kernel's change that the baseline has to have made: with less than half of it, most
 * of the change is the kernel's own. */
static const double least_part = 0.5;

bool track_control_is_shared(double kernel, double baseline, double low, double high)
{
	return kernel * baseline > 0 && fabs(baseline) >= least_part * fabs(kernel) &&
	       (fabs(kernel - baseline) < least_log || (low <= 0 && high >= 0));
}

/* ---- one series ---- */

struct pairs {                      /* runs that measured both, in their order */
	double *ratios, *baselines; /* logarithms */
	size_t n, n_before;         /* n_before: those before the change, of a drift one half */
};

static void fill(const struct track_series *s, const struct track_series *baseline,
		 struct pairs *out)
{
	const bool drifts = s->verdict == TRACK_DRIFTING;
	size_t k = 0;

	/* Both are in the order of time, so that one walk meets all runs that measured both. */
	for (size_t i = drifts ? 0 : track_cause_before(s); i < s->n; i++) {
		while (k < baseline->n && baseline->points[k].started_ms < s->points[i].started_ms)
			k++;
		if (k == baseline->n)
			break;
		if (baseline->points[k].run_id != s->points[i].run_id)
			continue;
		out->baselines[out->n] = log(baseline->values[k]);
		out->ratios[out->n] = log(s->values[i]) - out->baselines[out->n];
		out->n_before += i < s->index;
		out->n++;
	}
	if (drifts) /* no place: the earlier half and the later one */
		out->n_before = out->n / 2;
}

static double pct(double log_change)
{
	return 100 * (exp(log_change) - 1);
}

/* `reach`: change over the whole by that between the segments. */
static void judge(const struct pairs *p, double reach, double *scratch, struct track_control *out)
{
	/* A ratio in one run has no autocorrelation to speak of: what lasts, the machine, is in
	 * both. */
	const struct level_rule rule = {.inflation = 1, .scratch = scratch};
	const size_t bounds[3] = {0, p->n_before, p->n};

	/* Outliers of either side are put at its level, and not at that of both. */
	for (int k = 0; k < 2; k++) {
		double *list = k ? p->baselines : p->ratios;

		outliers_replace(list, p->n_before, scratch, list);
		outliers_replace(list + p->n_before, p->n - p->n_before, scratch,
				 list + p->n_before);
	}
	const struct level_change ratio = level_compare(p->ratios, bounds, &rule);
	const struct level_change base = level_compare(p->baselines, bounds, &rule);
	const double moved = reach * (base.after.at - base.before.at);
	const double off = reach * (ratio.after.at - ratio.before.at);
	const double low = reach * ratio.low, high = reach * ratio.high;

	*out = (struct track_control){.known = true,
				      .baseline_pct = pct(moved),
				      .ratio_pct = pct(off),
				      .ratio_low_pct = pct(low),
				      .ratio_high_pct = pct(high)};
	out->shared = track_control_is_shared(moved + off, moved, low, high);
}

enum asc_status track_control_find(const struct track_series *s,
				   const struct track_series *baseline, struct track_control *out,
				   struct asc_err *e)
{
	struct pairs p = {.ratios = calloc(s->n + 1, sizeof *p.ratios),
			  .baselines = calloc(s->n + 1, sizeof *p.baselines)};
	double *scratch = calloc(s->n + 1, sizeof *scratch);
	const bool complete = p.ratios && p.baselines && scratch;
	const bool drifts = s->verdict == TRACK_DRIFTING;

	*out = (struct track_control){0};
	if (complete && (drifts || (s->before > 0 && s->after > 0)))
		fill(s, baseline, &p);
	/* The means of two halves of a slope are half of it apart, (n / 2) / (n - 1) exactly. */
	if (complete && p.n_before >= LEAST_BEFORE && p.n > p.n_before)
		judge(&p, drifts ? 2 * (double)(p.n - 1) / (double)p.n : 1, scratch, out);
	free(p.ratios);
	free(p.baselines);
	free(scratch);
	return complete ? ASC_OK : asc_err_nomem(e);
}

/* ---- all of a history ---- */

/* Finds the control of a series among those of its kernel, which stand together, `first` to
 * `end` - 1: its first baseline that has a series. */
static enum asc_status find_baseline(struct track_series *s, const struct track_series *first,
				     const struct track_series *end, struct asc_err *e)
{
	int least = BASELINES_MAX;

	if (baselines_find(s->baseline_names, s->implementation) >= 0)
		return ASC_OK;
	for (const struct track_series *b = first; b < end; b++) {
		const int place = baselines_find(s->baseline_names, b->implementation);

		if (place >= 0 && place < least) {
			least = place;
			s->baseline = b;
		}
	}
	if (!s->baseline)
		return ASC_OK;
	if ((s->changed || s->verdict == TRACK_DRIFTING) &&
	    track_control_find(s, s->baseline, &s->control, e))
		return e->status;
	s->by_machine = s->control.shared &&
			(s->cause == TRACK_CAUSE_SLOWER || s->verdict == TRACK_DRIFTING);
	return ASC_OK;
}

/* Finds the baselines of a kernel's series. The newest run of all says which of them is one now. */
static enum asc_status find_baselines(struct track_series *first, const struct track_series *end,
				      struct asc_err *e)
{
	const struct track_series *newest = first;

	for (struct track_series *s = first; s < end; s++) {
		newest = s->newest_ms > newest->newest_ms ? s : newest;
		if (find_baseline(s, first, end, e))
			return e->status;
	}
	bool compared = false; /* something is there that baselines are the control of */

	for (const struct track_series *s = first; s < end; s++)
		compared |= baselines_find(newest->baseline_names, s->implementation) < 0;
	for (struct track_series *s = first; s < end; s++)
		s->is_baseline =
			compared && baselines_find(newest->baseline_names, s->implementation) >= 0;
	return ASC_OK;
}

enum asc_status track_control_find_all(struct track_history *h, struct asc_err *e)
{
	for (size_t first = 0, end; first < h->n; first = end) {
		for (end = first + 1; end < h->n; end++)
			if (track_series_compare_kernels(&h->list[first], &h->list[end]) != 0)
				break;
		if (find_baselines(&h->list[first], &h->list[end], e))
			return e->status;
	}
	for (size_t k = h->n; k < h->n_all; k++) {
		struct track_series *metric = &h->list[k];
		const struct track_series *times = &h->list[metric->times];

		metric->is_baseline = times->is_baseline;
		metric->by_machine = times->by_machine && metric->cause == TRACK_CAUSE_SLOWER;
	}
	return ASC_OK;
}
