/* The figure of one history: points, levels, changes of level and events as a picture, then the
 * same as tables. What the picture needs is copied into the page's memory: it is drawn when all
 * text of the page is written. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_figure.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/parts/page_series.h"
#include "reports/track/changepoint/changepoint_level.h"
#include "reports/track/changepoint/changepoint_outlier.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"

struct view { /* one series while its figure is written */
	struct page *p;
	const struct page_series *place;
	const struct track_series *series;
	const struct track_point *points;
};

/* ---- what the picture is of ---- */

static double seconds_of(int64_t ms)
{
	return (double)ms / 1000;
}

/* Fills in the levels by which the changes were judged. */
static bool fill_segments(const struct view *v, struct picture_history *h)
{
	const struct track_series *s = v->series;
	struct picture_segment *list = page_alloc(v->p, (s->found.n + 1) * sizeof *list);
	double *scratch = page_alloc(v->p, (s->n + 1) * sizeof *scratch);
	double *values = page_alloc(v->p, (s->n + 1) * sizeof *values);
	const bool complete = list && scratch && values;

	/* Outliers do not move a level: changes were judged without them, too. */
	if (complete)
		outliers_replace(s->values, s->n, scratch, values);
	for (size_t i = 0; complete && i <= s->found.n; i++) {
		size_t from = i > 0 ? s->found.list[i - 1].index : 0;
		size_t to = i < s->found.n ? s->found.list[i].index : s->n;

		list[i] = (struct picture_segment){
			.first = seconds_of(v->points[from].started_ms),
			.last = seconds_of(v->points[to - 1].started_ms),
			.level = level_find(values + from, to - from, scratch).at * 1e-9,
			.sd = s->found.spread * 1e-9};
	}
	h->segments = list;
	h->n_segments = s->found.n + 1;
	return complete;
}

/* Names another fact that changed at point b; NULL: none. */
static const char *name_event(struct page *p, const struct track_point *a,
			      const struct track_point *b)
{
	if (strcmp(a->driver, b->driver) != 0)
		return page_print(p, "driver %s", b->driver);
	if (strcmp(a->fingerprint, b->fingerprint) != 0)
		return "device";
	if (strcmp(a->version, b->version) != 0)
		return page_print(p, "asctune %s", b->version);
	return strcmp(a->code, b->code) != 0 ? "source or toolchain" : NULL;
}

static bool fill_events(const struct view *v, struct picture_history *h)
{
	enum { MOST = 20 }; /* more would cover the picture */
	struct picture_event *list = page_alloc(v->p, MOST * sizeof *list);
	size_t n = 0;

	/* The newest ones, from the end of the list backwards. */
	for (size_t i = v->series->n; list && i-- > 1 && n < MOST;) {
		const char *text = name_event(v->p, &v->points[i - 1], &v->points[i]);

		if (text)
			list[MOST - ++n] = (struct picture_event){
				.at = seconds_of(v->points[i].started_ms), .text = text};
	}
	h->events = list ? list + MOST - n : NULL;
	h->n_events = n;
	return list != NULL;
}

/* Makes the data of the picture; NULL: out of memory. */
static const struct picture_history *fill(const struct view *v)
{
	const struct track_series *s = v->series;
	const struct changepoints *c = &s->found;
	struct picture_history *h = page_alloc(v->p, sizeof *h);
	struct picture_point *points = page_alloc(v->p, (s->n + 1) * sizeof *points);
	struct picture_change *changes = page_alloc(v->p, (c->n + 1) * sizeof *changes);

	if (!h || !points || !changes || !fill_segments(v, h) || !fill_events(v, h))
		return NULL;
	for (size_t i = 0; i < s->n; i++)
		points[i] = (struct picture_point){.at = seconds_of(v->points[i].started_ms),
						   .value = s->values[i] * 1e-9};
	for (size_t i = 0; i < c->n; i++)
		changes[i] = (struct picture_change){
			.at = seconds_of(v->points[c->list[i].index].started_ms),
			.before = c->list[i].before * 1e-9,
			.after = c->list[i].after * 1e-9};
	h->points = points;
	h->n_points = s->n;
	h->changes = changes;
	h->n_changes = c->n;
	h->dated = true;
	return h;
}

/* ---- words and tables ---- */

static const char *describe(const struct view *v)
{
	const struct track_series *s = v->series;
	char first[NUMBER_TEXT_SIZE], last[NUMBER_TEXT_SIZE], newest[NUMBER_TEXT_SIZE];
	char change[NUMBER_TEXT_SIZE], left_out[NUMBER_TEXT_SIZE] = "";

	if (s->left_out > 0)
		snprintf(left_out, sizeof left_out, ", %zu noisy ones left out", s->left_out);
	return page_print(v->p, "%zu runs from %s to %s%s, %zu change%s of level, newest %s%s%s.",
			  s->n, number_print_day(v->points[0].started_ms, first),
			  number_print_day(v->points[s->n - 1].started_ms, last), left_out,
			  s->found.n, s->found.n == 1 ? "" : "s",
			  number_print_time(s->values[s->n - 1], newest), s->changed ? ", " : "",
			  s->changed ? number_print_change(s, change) : "");
}

static void write_points_table(const struct view *v)
{
	const struct units_scale u = number_scale_time(v->series->values[v->series->n / 2]);
	const struct html_column columns[] = {
		{"run of", NULL, false}, {"median", u.unit, true}, {NULL, NULL, false}};
	struct html_table t = {.out = v->p->out,
			       .id = page_print(v->p, "%s-n", v->place->id),
			       .caption = "Median time of each run, the newest first",
			       .columns = columns,
			       .rest = page_print_command(v->p, "export csv"),
			       .data = true};
	char day[NUMBER_TEXT_SIZE];

	html_table_begin(&t);
	for (size_t i = v->series->n; i-- > 0;) {
		if (!html_table_row(&t))
			continue;
		html_cell_text(&t, number_print_moment(v->points[i].started_ms, day));
		html_cell_number(&t, v->series->values[i] / u.factor, 3);
	}
	html_table_end(&t);
}

static const struct html_column change_columns[] = {{"change of level since", NULL, false},
						    {"before", NULL, true},
						    {"after", NULL, true},
						    {"change", "%", true},
						    {"p", NULL, true},
						    {"what changed with it", NULL, false},
						    {NULL, NULL, false}};

static void write_change(const struct view *v, struct html_table *t, const struct changepoint *c)
{
	const struct track_point *point = &v->points[c->index];
	const char *event = name_event(v->p, point - 1, point);
	char text[NUMBER_TEXT_SIZE];

	html_cell_text(t, number_print_day(point->started_ms, text));
	html_cell_time(t, c->before);
	html_cell_time(t, c->after);
	html_cell_begin_number(t, c->after - c->before);
	buf_add_str(t->out,
		    number_print_time_change(100 * (c->after - c->before) / fabs(c->before), text));
	html_cell_end(t);
	html_cell_begin_number(t, c->p);
	buf_print(t->out, "%.2g", c->p);
	html_cell_end(t);
	html_cell_name(t,
		       event                                          ? event
		       : strcmp(point[-1].config, point->config) != 0 ? "another configuration won"
								      : "same configuration",
		       60);
}

static void write_changes(const struct view *v)
{
	const struct changepoints *c = &v->series->found;
	struct html_table t = {.out = v->p->out,
			       .id = page_print(v->p, "%s-c", v->place->id),
			       .caption = "Its changes of level, the newest first",
			       .columns = change_columns,
			       .data = true};

	if (c->n == 0)
		return;
	html_table_begin(&t);
	for (size_t i = c->n; i-- > 0;)
		if (html_table_row(&t))
			write_change(v, &t, &c->list[i]);
	html_table_end(&t);
}

enum asc_status page_history_figure(struct page *p, const struct page_series *s, struct asc_err *e)
{
	struct view v = {.p = p,
			 .place = s,
			 .series = s->series,
			 .points = track_history_points(p->history, s->number)};
	const struct picture_history *h = fill(&v);

	if (!h)
		return asc_err_nomem(e);
	struct picture picture = {.kind = PICTURE_HISTORY,
				  .data.history = h,
				  .id = s->id,
				  .title = s->series->name,
				  .description = describe(&v)};

	/* In years of nights the newest ones are a few pixels: they have a picture of their own. */
	if (s->series->n > PAGE_TREND_NIGHTS)
		page_trend_write(p, s);
	page_figure_begin(p, &picture, picture.description);
	write_changes(&v);
	write_points_table(&v);
	page_figure_end(p);
	return ASC_OK;
}
