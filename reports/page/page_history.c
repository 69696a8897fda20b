/* The section of histories: a heat table, whose columns are the newest nights and whose rows are
 * histories, so that a bad night is a column and a bad kernel a row; pictures of the histories that
 * changed; then, folded, of others; then a table of all. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "reports/page/page.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/parts/page_series.h"
#include "reports/page/plot/history_marks.h"
#include "reports/track/track_history.h"
#include "reports/track/track_night.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/stats.h"

/* ---- nights and histories ---- */

enum {
	NIGHTS = 60,      /* columns: a cell is wide enough to be pointed at */
	ROWS = 40,        /* a screen; the histories that changed come first */
	LEAST_NIGHTS = 7, /* fewer are read off the pictures */
	LEAST_ROWS = 2,   /* one history has its picture */
	LEAST_VALUES = 3  /* of a row: a median of two is neither */
};

struct nights {
	struct page *p;
	int64_t nights[NIGHTS]; /* newest nights with a point by track_night_of(), the newest first
				 */
	const char *names[NIGHTS]; /* dates, the oldest first */
	size_t n;
	double values[NIGHTS]; /* of one series, the oldest first: change in percent, 0: noise */
	double sorted[NIGHTS];
};

/* A night colours no cell within so many standard deviations of single nights, which chance exceeds
 * in one night of 2000, if its level is within so many percent of the median: 60 nights of 40
 * histories have about one cell by chance. */
static const double noise_sd = 3.5, level_pct = 2;

/* Adds a night to the newest ones, which stay in order. */
static void add_night(struct nights *t, int64_t night)
{
	size_t at = 0;

	while (at < t->n && t->nights[at] > night)
		at++;
	if (at == NIGHTS || (at < t->n && t->nights[at] == night))
		return;
	for (size_t i = t->n < NIGHTS ? t->n++ : NIGHTS - 1; i > at; i--)
		t->nights[i] = t->nights[i - 1];
	t->nights[at] = night;
}

static int64_t find_night(const struct nights *t, const struct track_series *s, size_t point)
{
	return track_night_of(t->p->history, s->points[point].started_ms);
}

/* True for a value that differs from the median only as single nights of one level do. */
static bool is_noise(const struct track_series *s, size_t point, double middle)
{
	const struct changepoints *found = &s->found;
	double level = found->n ? found->list[0].before : found->level;

	for (size_t i = 0; i < found->n && found->list[i].index <= point; i++)
		level = found->list[i].after;
	return fabs(s->values[point] - middle) <= noise_sd * found->spread &&
	       fabs(level - middle) <= level_pct / 100 * middle;
}

/* Fills in the values of a series: changes in percent against the median of these nights, 0 for
 * noise, infinite in the newest night if the series is broken. False: it has too few. */
static bool fill(struct nights *t, const struct track_series *s)
{
	size_t k = s->n, n = 0, points[NIGHTS] = {0};

	for (size_t i = 0; i < t->n; i++) {
		double *to = &t->values[t->n - 1 - i];

		*to = NAN;
		while (k > 0 && find_night(t, s, k - 1) > t->nights[i])
			k--;
		if (k > 0 && find_night(t, s, k - 1) == t->nights[i]) {
			points[t->n - 1 - i] = k - 1;
			*to = s->values[k - 1];
			t->sorted[n++] = *to;
		}
	}
	if (n < LEAST_VALUES)
		return false;
	const double middle = stats_select_median(t->sorted, n);

	for (size_t i = 0; i < t->n; i++)
		if (isfinite(t->values[i]))
			t->values[i] = is_noise(s, points[i], middle)
					       ? 0
					       : 100 * (t->values[i] / middle - 1);
	if (s->verdict == TRACK_BROKEN &&
	    t->nights[0] == track_night_of(t->p->history, s->newest_ms))
		t->values[t->n - 1] = INFINITY;
	return true;
}

static void write_nights_row(struct nights *t, const struct page_series *s)
{
	struct buf *out = t->p->out;

	buf_add_str(out, "<tr class=\"item\"><th scope=\"row\">");
	if (s->place != PAGE_NOWHERE)
		buf_print(out, "<a href=\"#%s\">", s->id);
	page_kernel_write_name(s->series->workload, s->series->problem, out);
	buf_add_str(out, s->place != PAGE_NOWHERE ? "</a> <small>" : " <small>");
	html_name(out, s->series->implementation, 30);
	buf_add_str(out, "</small></th><td>");
	night_row_print(t->values, t->n, t->names,
			page_print(t->p, "%s/%s", s->series->workload, s->series->problem), out);
	buf_add_str(out, "</td></tr>\n");
}

static int compare_names(const void *a, const void *b)
{
	const struct track_series *x = (*(const struct page_series *const *)a)->series;
	const struct track_series *y = (*(const struct page_series *const *)b)->series;
	const int order = str_compare_natural(x->workload, y->workload);

	return order ? order : str_compare_natural(x->problem, y->problem);
}

/* Writes the table of nights and histories; nothing if there are too few for one. */
static void write_nights(struct page *p)
{
	struct nights t = {.p = p};
	const struct page_series *rows[ROWS];
	struct buf *out = p->out;
	char text[NUMBER_TEXT_SIZE];

	/* Older points of a history are of older nights than NIGHTS of its own. */
	for (const struct page_series *s = p->series; s->series; s++)
		for (size_t i = s->series->n; i-- > 0 && i + NIGHTS >= s->series->n;)
			add_night(&t, find_night(&t, s->series, i));
	for (size_t i = 0; i < t.n; i++)
		t.names[i] = page_print(
			p, "%s",
			number_print_day(track_night_ms(p->history, t.nights[t.n - 1 - i]), text));
	/* Series that changed come first in the page's list; in the table, names are looked for. */
	size_t n = 0;

	for (const struct page_series *s = p->series; s->series && t.n >= LEAST_NIGHTS && n < ROWS;
	     s++)
		if (fill(&t, s->series))
			rows[n++] = s;
	qsort(rows, n, sizeof(void *), compare_names);
	if (n < LEAST_ROWS)
		return;
	buf_print(out,
		  "<table class=\"nights\"><caption>The newest %zu nights of %zu of %zu histories, "
		  "in order of names (of many, those that changed): slower than their median in "
		  "red, faster in green, broken with a frame; what is within 2 %%, or within the "
		  "noise of one level (%g standard deviations), is grey, what was not measured "
		  "empty</caption>\n<thead><tr><th scope=\"col\">kernel</th>"
		  "<th scope=\"col\">",
		  t.n, n, p->history->n, noise_sd);
	buf_print(out, "%s to %s</th></tr></thead>\n<tbody>\n", t.names[0], t.names[t.n - 1]);
	for (size_t i = 0; i < n; i++)
		if (fill(&t, rows[i]->series))
			write_nights_row(&t, rows[i]);
	buf_add_str(out, "</tbody></table>\n");
}

/* ---- pictures ---- */

static void write_name(struct page *p, const struct page_series *s)
{
	page_series_name(s->series, p->out);
	buf_add_char(p->out, ' ');
	page_series_badge(s->series, p->out);
}

static enum asc_status write_pictures(struct page *p, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	size_t n = 0, all = 0;

	for (const struct page_series *s = p->series; s->series && status == ASC_OK; s++, all++) {
		n += s->place == PAGE_SHOWN || s->place == PAGE_FOLDED;
		if (s->place == PAGE_SHOWN) {
			buf_add_str(p->out, "<div class=\"item\"><h3>");
			write_name(p, s);
			buf_add_str(p->out, "</h3>\n");
			status = page_history_figure(p, s, e);
			buf_add_str(p->out, "</div>\n");
		}
		if (s->place == PAGE_FOLDED) {
			buf_add_str(p->out, "<details class=\"item\"><summary>");
			write_name(p, s);
			buf_add_str(p->out, "</summary>\n");
			status = page_history_figure(p, s, e);
			buf_add_str(p->out, "</details>\n");
		}
	}
	if (n < all)
		buf_print(p->out,
			  "<p class=\"note\">%zu of %zu histories have a picture, those that "
			  "changed first; those of fewer than 3 runs have none.</p>\n",
			  n, all);
	return status;
}

/* ---- all of them ---- */

static const struct html_column columns[] = {{"kernel", NULL, false},    {"newest", NULL, true},
					     {"runs", NULL, true},       {"changes", NULL, true},
					     {"newest run", NULL, true}, {"verdict", NULL, false},
					     {"newest 60", NULL, false}, {NULL, NULL, false}};

static void write_row(struct html_table *t, const struct page_series *s)
{
	const struct track_series *k = s->series;
	char text[NUMBER_TEXT_SIZE];

	html_cell_begin(t);
	/* A history without a picture has its place, to which others link, in this row. */
	if (s->place == PAGE_ROW) {
		buf_print(t->out, "<span id=\"%s\">", s->id);
		page_series_name(k, t->out);
		buf_add_str(t->out, "</span>");
	} else {
		page_series_link(s, t->out);
	}
	html_cell_end(t);
	html_cell_time(t, k->n ? k->values[k->n - 1] : NAN);
	html_cell_count(t, (long long)k->n);
	html_cell_count(t, (long long)k->found.n);
	html_cell_begin_number(t, (double)k->newest_ms);
	buf_add_str(t->out, number_print_day(k->newest_ms, text));
	html_cell_end(t);
	html_cell_begin(t);
	page_series_badge(k, t->out);
	html_cell_end(t);
	html_cell_begin(t);
	page_series_spark(k, t->out);
	html_cell_end(t);
}

static void write_all(struct page *p)
{
	struct html_table t = {.out = p->out,
			       .id = "all",
			       .caption = "All histories",
			       .order = ", the worst first, baselines last",
			       .columns = columns,
			       .rest = page_print_command(p, "track --all")};

	html_table_begin(&t);
	for (const struct page_series *s = p->series; s->series; s++)
		if (html_table_row(&t))
			write_row(&t, s);
	html_table_end(&t);
}

enum asc_status page_write_history(struct page *p, struct asc_err *e)
{
	enum asc_status status;

	write_nights(p);
	status = write_pictures(p, e);
	if (status != ASC_OK)
		return status;
	write_all(p);
	return page_transitions_write(p, e);
}
