
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"
#include "tuner/result/tracked_metric.h"

/* Points of a metric that are read: fewer are enough to know the level before, and a year of every
 * metric would cost as much as the times. */
enum { FIGURE_NIGHTS = 120 };

struct reader {
	struct track_history *h;
	double values[TRACKED_METRICS][FIGURE_NIGHTS]; /* NaN: not recorded */
	size_t point;
};

static enum asc_status read_metric(void *user, const struct db_metric *m, struct asc_err *e)
{
	struct reader *r = user;
	const struct tracked_metric *f = tracked_metric_find(m->probe, m->name);

	(void)e;
	if (f)
		r->values[f - tracked_metrics][r->point] = m->value;
	return ASC_OK;
}

/* Makes room for one more series with `n` points and their values. */
static enum asc_status reserve(struct track_history *h, size_t n, struct asc_err *e)
{
	struct track_series *list = realloc(h->list, (h->n_all + 1) * sizeof *list);

	if (list)
		h->list = list;
	size_t *first = list ? realloc(h->first, (h->n_all + 1) * sizeof *first) : NULL;

	if (first)
		h->first = first;
	struct track_point *points =
		first ? realloc(h->points, (h->n_points + n) * sizeof *points) : NULL;

	if (points)
		h->points = points;
	return points ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status begin_series(struct track_history *h, size_t times,
				    const struct tracked_metric *f, struct asc_err *e)
{
	struct track_series *s = &h->list[h->n_all];
	const struct track_series *t = &h->list[times];

	*s = (struct track_series){.device = t->device,
				   .machine = t->machine,
				   .workload = t->workload,
				   .problem = t->problem,
				   .problem_key = t->problem_key,
				   .cache = t->cache,
				   .implementation = t->implementation,
				   .metric = f->name,
				   .times = times,
				   .tracked = f};
	char *name = str_print("%s %s", t->name, f->name);

	s->name = name ? arena_copy(&h->texts, name) : NULL;
	free(name);
	h->first[h->n_all++] = h->n_points;
	return s->name ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status add_figure(struct reader *r, size_t times, const struct tracked_metric *f,
				  size_t from, struct asc_err *e)
{
	struct track_history *h = r->h;
	const double *values = r->values[f - tracked_metrics];
	size_t n = h->list[times].n - from, known = 0;

	for (size_t i = 0; i < n; i++)
		known += isfinite(values[i]) != 0;
	if (known < CHANGEPOINT_POINTS) /* too few to judge: no series rather than a short one */
		return ASC_OK;
	if (reserve(h, known, e) || begin_series(h, times, f, e))
		return e->status;
	struct track_series *s = &h->list[h->n_all - 1];

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(values[i]))
			continue;
		struct track_point *to = &h->points[h->n_points++];

		*to = h->points[h->first[times] + from + i];
		to->value = values[i];
		s->n++;
	}
	return ASC_OK;
}

/* Reads the metrics of the newest points of a series, and adds a series for each that was recorded.
 */
static enum asc_status add_figures(struct reader *r, size_t times, struct db *d, struct asc_err *e)
{
	const struct track_series *s = &r->h->list[times];
	const size_t from = s->n > FIGURE_NIGHTS ? s->n - FIGURE_NIGHTS : 0, n = s->n - from;
	const struct track_point *points = track_history_points(r->h, times) + from;
	enum asc_status status = ASC_OK;

	/* Runs differ in what they recorded. */
	for (size_t f = 0; f < TRACKED_METRICS; f++)
		for (size_t i = 0; i < FIGURE_NIGHTS; i++)
			r->values[f][i] = NAN;
	for (r->point = 0; r->point < n; r->point++) {
		if (db_each_metric(d, points[r->point].trial_id, read_metric, r, e))
			return e->status;
	}
	for (const struct tracked_metric *f = tracked_metrics; status == ASC_OK && f->name; f++)
		status = add_figure(r, times, f, from, e);
	return status;
}

enum asc_status track_metrics_add(struct track_history *h, struct db *d, struct asc_err *e)
{
	struct reader *r = calloc(1, sizeof *r);
	enum asc_status status = ASC_OK;

	if (!r)
		return asc_err_nomem(e);
	r->h = h;
	for (size_t k = 0; status == ASC_OK && k < h->n; k++)
		status = add_figures(r, k, d, e);
	free(r);
	return status;
}
