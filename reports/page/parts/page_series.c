#include "reports/page/parts/page_series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/run_view.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/plot/history_marks.h"
#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"

enum {
	LEAST_POINTS = 3, /* least points of a picture; fewer are read off the table */
	ALL_DRAWN = 24,   /* series up to which each has a picture; of more, changed ones alone */
	PICTURES_SHOWN = 60, /* open pictures */
	SPARK_POINTS = 60,   /* newest points */
	NAME = 60            /* characters */
};

/* Bound of the pictures of histories together, by the cost of one before its data, and of a point,
 * which is in the table of its data too. */
static const size_t picture_bytes = 14000, point_bytes = 180, budget_bytes = 1500000;

/* Makes the id of a series from its fields: its name would be the same for "a b" and "c" as for "a"
 * and "b c". */
static bool name_id(struct page_series *s)
{
	const struct track_series *t = s->series;
	const char *const fields[] = {t->device, t->workload, t->problem, t->implementation,
				      t->cache};
	char text[HASH_TEXT_SIZE];
	struct hash h;
	struct asc_err e;

	hash_init(&h);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		hash_add_str(&h, fields[i]);
	if (hash_end(&h, text, &e))
		return false;
	snprintf(s->id, sizeof s->id, "k_%.16s", text); /* 64 bits: no two of a page are equal */
	return true;
}

/* Order of the page: kernels before baselines, the worst first; series without a change, of one
 * verdict, by their names. */
static int compare(const void *a, const void *b)
{
	const struct track_series *x = ((const struct page_series *)a)->series;
	const struct track_series *y = ((const struct page_series *)b)->series;
	int order = track_series_is_counted(y) - track_series_is_counted(x);

	if (order)
		return order;
	if (x->verdict == y->verdict && !(fabs(x->change_pct) > 0 || fabs(y->change_pct) > 0)) {
		order = str_compare_natural(x->workload, y->workload);
		order = order ? order : str_compare_natural(x->problem, y->problem);
	}
	return order ? order : track_series_compare(x, y);
}

/* True for a series whose picture shows something: a change, or enough points to be undecided
 * about. */
static bool is_changed(const struct track_series *s)
{
	return s->changed || s->verdict == TRACK_BROKEN ||
	       (s->verdict == TRACK_UNDECIDED && s->n >= CHANGEPOINT_POINTS);
}

/* Gives series their places in their order, so that limits cut the least bad ones. A baseline is a
 * control: its picture is folded. */
static void place_all(struct page_series *list, size_t n)
{
	size_t bytes = 0, shown = 0;

	/* A large history may find no room, and a small one behind it some. */
	for (size_t i = 0; i < n; i++) {
		const struct track_series *s = list[i].series;
		size_t cost = picture_bytes + point_bytes * s->n;

		list[i].place = i < HTML_TABLE_ROWS ? PAGE_ROW : PAGE_NOWHERE;
		if (s->n < LEAST_POINTS || bytes + cost > budget_bytes ||
		    (n > ALL_DRAWN && !is_changed(s)))
			continue;
		bytes += cost;
		list[i].place =
			is_changed(s) && track_series_is_counted(s) && shown++ < PICTURES_SHOWN
				? PAGE_SHOWN
				: PAGE_FOLDED;
	}
}

struct page_series *page_series_arrange(struct page *p)
{
	const struct track_history *h = p->history;
	struct page_series *list = page_alloc(p, (h->n + 1) * sizeof *list);

	if (!list)
		return NULL;
	for (size_t i = 0; i < h->n; i++) {
		list[i].series = &h->list[i];
		list[i].number = i;
	}
	qsort(list, h->n, sizeof *list, compare);
	for (size_t i = 0; i < h->n; i++)
		if (!name_id(&list[i]))
			return NULL;
	place_all(list, h->n);
	return list;
}

struct track_kernel page_series_kernel(const struct db_run_view *run)
{
	return (struct track_kernel){.device_kind = run->device_kind,
				     .device_model = run->device_model,
				     .machine = run->device_machine,
				     .workload = run->workload,
				     .problem = run->problem,
				     .cache = run->cache_policy};
}

static void write_kernel(const struct track_series *s, struct buf *out)
{
	html_name(out, s->workload, NAME);
	buf_add_char(out, '/');
	html_name(out, s->problem, NAME);
}

static void write_where(const struct track_series *s, struct buf *out)
{
	buf_add_str(out, " <small>");
	html_name(out, s->implementation, NAME);
	buf_add_str(out, s->is_baseline ? ", baseline, " : ", ");
	html_name(out, s->cache, NAME);
	buf_add_str(out, ", ");
	html_name(out, s->device, NAME);
	buf_add_str(out, "</small>");
}

void page_series_name(const struct track_series *s, struct buf *out)
{
	write_kernel(s, out);
	write_where(s, out);
}

void page_series_link(const struct page_series *s, struct buf *out)
{
	if (s->place != PAGE_NOWHERE)
		buf_print(out, "<a href=\"#%s\">", s->id);
	write_kernel(s->series, out);
	if (s->place != PAGE_NOWHERE)
		buf_add_str(out, "</a>");
	write_where(s->series, out);
}

const struct page_verdict_look page_verdict_looks[TRACK_VERDICT_COUNT] = {
	[TRACK_BROKEN] = {"bad", "✕"},       [TRACK_REGRESSION] = {"bad", "▲"},
	[TRACK_IMPROVEMENT] = {"good", "▼"}, [TRACK_DRIFTING] = {"warn", "↗"},
	[TRACK_UNDECIDED] = {"warn", "?"},   [TRACK_SLOWER] = {"", "▲"},
	[TRACK_FASTER] = {"", "▼"},          [TRACK_UNCHANGED] = {"mut", "·"}};

void page_series_badge(const struct track_series *s, struct buf *out)
{
	const bool counted = track_series_is_counted(s);
	char text[NUMBER_TEXT_SIZE];
	const char *state = counted ? track_state_name(track_series_state(s)) : "not counted";

	buf_print(out, "<span class=\"badge %s\">%s %s%s%s</span>",
		  counted ? page_verdict_looks[s->verdict].class : "mut",
		  page_verdict_looks[s->verdict].mark, track_verdict_words(s->verdict),
		  *state ? ", " : "", state);
	if (s->verdict == TRACK_SLOWER || s->verdict == TRACK_FASTER) {
		buf_add_str(out, " <small>");
		track_write_since(s, s->index, out);
		buf_print(out, " (%s)</small>", number_print_time_change(s->change_pct, text));
	}
	if (s->drift_pct != 0) {
		buf_add_str(out, " <small>");
		track_write_drift(s, out);
		buf_add_str(out, "</small>");
	}
	if (track_series_has_floor(s)) {
		buf_add_str(out, " <small>");
		track_write_floor(s, out);
		buf_add_str(out, "</small>");
	}
}

void page_series_spark(const struct track_series *s, struct buf *out)
{
	size_t n = s->n < SPARK_POINTS ? s->n : SPARK_POINTS, from = s->n - n;
	char label[3 * NUMBER_TEXT_SIZE], first[NUMBER_TEXT_SIZE], last[NUMBER_TEXT_SIZE];

	const enum sparkline_change change =
		!s->changed                                                    ? SPARKLINE_NONE
		: s->verdict == TRACK_UNDECIDED || !track_series_is_counted(s) ? SPARKLINE_UNDECIDED
		: s->after > s->before                                         ? SPARKLINE_SLOWER
									       : SPARKLINE_FASTER;

	if (n < 2)
		return;
	snprintf(label, sizeof label, "newest %zu points, from %s to %s", n,
		 number_print_time(s->values[from], first),
		 number_print_time(s->values[s->n - 1], last));
	sparkline_print(&(struct sparkline){.values = s->values + from,
					    .n = n,
					    .index = s->index > from ? s->index - from : 0,
					    .change = change,
					    .label = label},
			out);
}

/* ---- trends ---- */

/* Makes a line of the values that series `of` has in the runs of `s` from point `from` on, in
 * percent of `level`; `of` is `s` itself or its baseline. */
static const double *fill_line(struct page *p, const struct track_series *s, size_t from,
			       const struct track_series *of, double level)
{
	double *values = page_alloc(p, (PAGE_TREND_NIGHTS + 1) * sizeof *values);
	size_t k = 0;

	for (size_t i = from; values && i < s->n; i++) {
		/* Both lists are in the order of time: one walk through each. */
		while (k < of->n && of->points[k].started_ms < s->points[i].started_ms)
			k++;
		const bool there = k < of->n && of->points[k].run_id == s->points[i].run_id;

		values[i - from] = there ? 100 * (of->values[k] / level - 1) : NAN;
	}
	return values;
}

/* Mean of the newest values of a series from before the change of `s`, or of all its newest. */
static double find_level(const struct track_series *s, const struct track_series *of)
{
	double sum = 0;
	size_t n = 0;

	/* Half of the picture's nights: enough for a mean, and as recent as the change. */
	for (size_t i = of->n; i-- > 0 && n < PAGE_TREND_NIGHTS / 2;)
		if (!s->changed || of->points[i].started_ms < s->points[s->index].started_ms) {
			sum += of->values[i];
			n++;
		}
	return n ? sum / (double)n : of->values[of->n - 1];
}

void page_trend_write(struct page *p, const struct page_series *place)
{
	const struct track_series *s = place->series;
	const struct track_series *base = s->baseline;
	const size_t from = s->n > PAGE_TREND_NIGHTS ? s->n - PAGE_TREND_NIGHTS : 0;
	char first[NUMBER_TEXT_SIZE], last[NUMBER_TEXT_SIZE];

	if (s->n < LEAST_POINTS)
		return;
	struct trend t = {
		.lines = {{fill_line(p, s, from, s, s->changed ? s->before : find_level(s, s)),
			   s->implementation}},
		.n = s->n - from,
		/* A change before the newest nights is at none of them. */
		.change = s->changed && s->index > from ? s->index - from : s->n,
		.first = number_print_day(s->points[from].started_ms, first),
		.last = number_print_day(s->points[s->n - 1].started_ms, last),
		.label = page_print(p, "newest %zu runs, in percent of the level before",
				    s->n - from)};

	if (base && base->n > 0)
		t.lines[1] = (struct trend_line){fill_line(p, s, from, base, find_level(s, base)),
						 base->implementation};
	buf_add_str(p->out, "<div>");
	trend_print(&t, p->out);
	if (t.lines[1].values) {
		buf_add_str(p->out, "<p class=\"key\"><span class=\"warn\">— ");
		html_name(p->out, s->implementation, NAME);
		buf_add_str(p->out, "</span> <span class=\"s1\">— ");
		html_name(p->out, base->implementation, NAME);
		buf_add_str(p->out, ", baseline</span></p>\n");
	}
	buf_add_str(p->out, "</div>\n");
}
