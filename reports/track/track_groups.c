#include "reports/track/track_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/track_history.h"
#include "reports/track/track_night.h"
#include "tuner/base/buf.h"

/* ---- order ---- */

static bool is_listed(const struct track_series *s)
{
	switch (s->verdict) {
	case TRACK_BROKEN:
	case TRACK_REGRESSION:
	case TRACK_IMPROVEMENT:
	case TRACK_DRIFTING: return track_series_is_counted(s);
	case TRACK_UNDECIDED: return track_series_is_counted(s) && !track_series_is_short(s);
	default: return false;
	}
}

/* Names what may explain changes of several kernels in one night: a new driver, or the machine. A
 * source explains one kernel only. */
static enum asc_status find_cause(const struct track_series *s, char **cause, struct asc_err *e)
{
	const bool follows = s->changed && s->points && s->index > 0;
	const struct track_point *at = follows ? &s->points[s->index] : NULL;

	if (at && strcmp(at[-1].driver, at->driver) != 0)
		*cause = str_print("driver %.100s, was %.100s", at->driver, at[-1].driver);
	else if (s->by_machine)
		*cause = str_dup(track_state_name(TRACK_STATE_MACHINE));
	else
		return ASC_OK;
	return *cause ? ASC_OK : asc_err_nomem(e);
}

/* Order of groups; 0: the same one, or none. */
static int compare_groups(const struct track_entry *x, const struct track_entry *y)
{
	const char *first = x->cause ? x->cause : "", *second = y->cause ? y->cause : "";

	if (x->series->verdict != y->series->verdict)
		return (int)x->series->verdict - (int)y->series->verdict;
	if (!x->series->tracked != !y->series->tracked)
		return x->series->tracked ? 1 : -1;
	if (x->listed != y->listed)
		return x->listed ? -1 : 1;
	if (x->series->by_machine != y->series->by_machine) /* nobody's kernel: last */
		return x->series->by_machine ? 1 : -1;
	if (x->night != y->night)
		return x->night > y->night ? -1 : 1;
	const int order = strcmp(second, first); /* groups before single ones */

	return order || x->series->verdict != TRACK_BROKEN
		       ? order
		       : track_series_compare_kernels(x->series, y->series);
}

static int compare(const void *a, const void *b)
{
	const struct track_entry *x = a, *y = b;
	const int order = compare_groups(x, y);

	return order ? order : track_series_compare(x->series, y->series);
}

size_t track_groups_size(const struct track_groups *g, size_t first)
{
	const struct track_entry *x = &g->list[first];
	size_t n = 1;

	if (!x->listed ||
	    !(x->cause || (x->series->verdict == TRACK_BROKEN && x->series->workload)))
		return 1;
	while (first + n < g->n && compare_groups(x, &x[n]) == 0)
		n++;
	return n;
}

/* ---- counts ---- */

static void add_off(struct track_counts *c, double pct)
{
	const bool below = pct < 0;
	double *list = c->off[below];
	size_t at = c->n_off[below] < TRACK_OFF_MOST ? c->n_off[below] : TRACK_OFF_MOST;

	c->n_off[below]++; /* all are counted, and the farthest are kept in order */
	for (; at > 0 && fabs(list[at - 1]) < fabs(pct); at--)
		if (at < TRACK_OFF_MOST)
			list[at] = list[at - 1];
	if (at < TRACK_OFF_MOST)
		list[at] = pct;
}

void track_counts_add(struct track_counts *c, const struct track_series *s)
{
	c->failing += track_series_fails(s);
	c->skipped += track_series_is_skipped(s);
	c->uncertain += s->verdict == TRACK_UNDECIDED ||
			(s->verdict == TRACK_REGRESSION && s->by_machine && !s->ack.reason);
	if (s->tracked) {
		c->metrics[s->verdict] += track_series_is_counted(s);
		return;
	}
	c->baselines += !track_series_is_counted(s);
	if (!track_series_is_counted(s))
		return;
	c->n_short += track_series_is_short(s);
	c->of[s->verdict] += !track_series_is_short(s);
	c->by_machine[s->verdict] += track_series_is_of_machine(s);
	c->acknowledged += s->ack.reason != NULL;
	if (s->verdict == TRACK_UNDECIDED && s->newest.off_pct != 0)
		add_off(c, s->newest.off_pct);
	if (s->verdict == TRACK_UNCHANGED && s->floor_pct > 0) {
		c->least_floor =
			c->least_floor > 0 ? fmin(c->least_floor, s->floor_pct) : s->floor_pct;
		c->most_floor = fmax(c->most_floor, s->floor_pct);
	}
}

static void count_all(struct track_groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		track_counts_add(&g->counts, g->list[i].series);
	/* Findings are numbered as the outputs list them, a group as one. */
	for (size_t i = 0, n, finding = 0; i < g->n; i += n) {
		const struct track_entry *x = &g->list[i];

		n = track_groups_size(g, i);
		finding += x->listed;
		for (size_t k = i; x->listed && k < i + n; k++)
			g->list[k].finding = finding;
		g->counts.reasons +=
			x->listed && !x->series->tracked && x->series->verdict == TRACK_REGRESSION;
	}
}

enum asc_status track_groups_find(const struct track_history *h, struct track_groups *out,
				  struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	*out = (struct track_groups){.list = calloc(h->n_all + 1, sizeof *out->list)};
	if (!out->list)
		return asc_err_nomem(e);
	for (; out->n < h->n_all && status == ASC_OK; out->n++) {
		const struct track_series *s = &h->list[out->n];
		const int64_t ms =
			s->changed && s->points ? s->points[s->index].started_ms : s->newest_ms;

		out->list[out->n] = (struct track_entry){
			.series = s, .night = track_night_of(h, ms), .listed = is_listed(s)};
		status = find_cause(s, &out->list[out->n].cause, e);
	}
	if (status != ASC_OK) {
		track_groups_fini(out);
		return status;
	}
	qsort(out->list, out->n, sizeof *out->list, compare);
	count_all(out);
	return ASC_OK;
}

void track_groups_fini(struct track_groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->list[i].cause);
	free(g->list);
	*g = (struct track_groups){0};
}
