#include "reports/page/page_findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/page/page_kernels.h"
#include "reports/page/page_series.h"
#include "reports/track/track_history.h"
#include "reports/track/track_night.h"

/* True for a state that is told of in words; others are rows of the table. */
static bool is_told(const struct page_series *s)
{
	switch (s->series->verdict) {
	case TRACK_BROKEN:
	case TRACK_REGRESSION:
	case TRACK_IMPROVEMENT:
	case TRACK_DRIFTING: return !s->is_control;
	case TRACK_UNDECIDED: return !s->is_control && !track_series_is_short(s->series);
	default: return false;
	}
}

static const struct page_kernel *find_kernel(const struct page *p, const struct track_series *s)
{
	for (size_t i = 0; i < p->n_kernels; i++)
		if (page_series_is_of(s, &p->kernels[i].run))
			return &p->kernels[i];
	return NULL;
}

/* Names what explains a change of several kernels in one night: a new driver, or the machine. */
static const char *find_group(struct page *p, const struct page_finding *f)
{
	const struct track_series *s = f->place->series;
	const struct track_point *points = track_history_points(p->history, f->place->number);

	if (!s->changed || s->index == 0)
		return NULL;
	const struct track_point *before = &points[s->index - 1], *after = &points[s->index];

	if (strcmp(before->driver, after->driver) != 0)
		return page_print(p, "driver %.100s, was %.100s", after->driver, before->driver);
	return f->control.shared ? "the machine" : NULL;
}

/* `fresh`: of all series of times. */
static enum asc_status fill(struct page *p, const struct page_series *s, const bool *fresh,
			    struct page_finding *f, struct asc_err *e)
{
	const struct track_series *t = s->series;
	const struct track_point *points = track_history_points(p->history, s->number);
	const int64_t ms = t->changed ? points[t->index].started_ms : t->newest_ms;

	*f = (struct page_finding){.place = s,
				   .kernel = find_kernel(p, t),
				   .night = track_night_of(p->history, ms),
				   .fresh = fresh[s->number]};
	if (t->changed && s->control && track_control_find(t, s->control->series, &f->control, e))
		return e->status;
	f->group = find_group(p, f);
	return ASC_OK;
}

static enum track_verdict verdict(const struct page_finding *f)
{
	return f->place->series->verdict;
}

/* Orders histories by what they are of, whatever the implementation. */
static int compare_problems(const struct track_series *a, const struct track_series *b)
{
	const char *const first[] = {a->device, a->workload, a->problem, a->cache};
	const char *const second[] = {b->device, b->workload, b->problem, b->cache};
	int order = 0;

	for (size_t i = 0; i < sizeof first / sizeof *first && order == 0; i++)
		order = strcmp(first[i], second[i]);
	return order;
}

static int compare(const void *a, const void *b)
{
	const struct page_finding *x = a, *y = b;
	const char *first = x->group ? x->group : "", *second = y->group ? y->group : "";

	if (verdict(x) != verdict(y))
		return (int)verdict(x) - (int)verdict(y);
	if (x->night != y->night)
		return x->night > y->night ? -1 : 1;
	int order = strcmp(second, first); /* groups before single ones */

	if (order == 0 && verdict(x) == TRACK_BROKEN)
		order = compare_problems(x->place->series, y->place->series);
	return order ? order : track_series_compare(x->place->series, y->place->series);
}

static enum asc_status fill_all(struct page *p, struct page_finding *list, bool *fresh,
				struct asc_err *e)
{
	if (track_night_find_fresh(p->history, p->db, &track_rule_default, fresh, e))
		return e->status;
	for (const struct page_series *s = p->series; s->series; s++)
		if (is_told(s) && fill(p, s, fresh, &list[p->n_findings++], e))
			return e->status;
	qsort(list, p->n_findings, sizeof *list, compare);
	return ASC_OK;
}

enum asc_status page_findings_read(struct page *p, struct asc_err *e)
{
	const size_t n = p->history ? p->history->n : 0;
	struct page_finding *list = page_alloc(p, (n + 1) * sizeof *list);
	bool *fresh = page_alloc(p, (n + 1) * sizeof *fresh);

	if (!list || !fresh)
		return asc_err_nomem(e);
	p->findings = list;
	return n > 0 ? fill_all(p, list, fresh, e) : ASC_OK;
}

/* True when both are one finding. */
static bool belong_together(const struct page_finding *a, const struct page_finding *b)
{
	if (verdict(a) != verdict(b) || a->night != b->night)
		return false;
	if (verdict(a) == TRACK_BROKEN)
		return compare_problems(a->place->series, b->place->series) == 0;
	return a->group && b->group && strcmp(a->group, b->group) == 0;
}

size_t page_findings_size(const struct page *p, size_t first)
{
	size_t n = 1;

	while (first + n < p->n_findings &&
	       belong_together(&p->findings[first], &p->findings[first + n]))
		n++;
	return n;
}

struct page_finding_counts page_findings_count(const struct page *p)
{
	struct page_finding_counts c = {.fresh = 0};

	for (const struct page_series *s = p->series; s && s->series; s++) {
		if (s->is_control)
			continue;
		c.n_short += track_series_is_short(s->series);
		c.of[s->series->verdict] += !track_series_is_short(s->series);
		c.acknowledged += s->series->acknowledged != NULL;
	}
	for (size_t i = 0; i < p->n_findings; i++)
		c.fresh += p->findings[i].fresh;
	for (size_t i = 0; i < p->n_findings; i += page_findings_size(p, i))
		c.reasons += verdict(&p->findings[i]) == TRACK_REGRESSION;
	return c;
}
