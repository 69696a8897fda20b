#include "reports/page/page_nights.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "reports/page/page.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/parts/page_series.h"
#include "reports/page/plot/history_marks.h"
#include "reports/track/track_history.h"
#include "reports/track/track_night.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/stats.h"

enum { NIGHTS = 60, ROWS = 40, LEAST_NIGHTS = 7, LEAST_ROWS = 2, LEAST_VALUES = 3 };

struct nights {
	struct page *p;
	int64_t nights[NIGHTS]; /* newest nights with a point by track_night_of(), the newest first
				 */
	const char *names[NIGHTS]; /* dates, the oldest first */
	size_t n;
	double values[NIGHTS]; /* of one series, the oldest first: change in percent, 0: noise */
	double sorted[NIGHTS];
};

/* What colours no cell: so many standard deviations of single nights, which chance exceeds in one
 * night of 2000, around a level that is so near to the median. */
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

static void find_nights(struct nights *t)
{
	for (const struct page_series *s = t->p->series; s->series; s++)
		for (size_t i = s->series->n; i-- > 0 && i + NIGHTS >= s->series->n;)
			add_night(t, find_night(t, s->series, i));
}

/* True for a value that is as far from the median as single nights are, where its level is not. */
static bool is_noise(const struct track_series *s, size_t point, double middle)
{
	const struct changepoints *found = &s->found;
	double level = found->n ? found->list[0].before : found->level;

	for (size_t i = 0; i < found->n && found->list[i].index <= point; i++)
		level = found->list[i].after;
	return fabs(s->values[point] - middle) <= noise_sd * found->spread &&
	       fabs(level - middle) <= level_pct / 100 * middle;
}

/* Fills the values of a series: changes in percent to the median of these nights, infinite for one
 * that is broken now; returns false for fewer than three. */
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

static void write_row(struct nights *t, const struct page_series *s)
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

/* Chooses those that changed first, in natural order of names; returns their number. */
static size_t choose_rows(struct nights *t, const struct page_series *list[ROWS])
{
	size_t n = 0;

	for (const struct page_series *s = t->p->series; s->series && n < ROWS; s++)
		if (fill(t, s->series))
			list[n++] = s;
	qsort(list, n, sizeof(void *), compare_names);
	return n;
}

void page_nights_write(struct page *p)
{
	struct nights t = {.p = p};
	const struct page_series *rows[ROWS];
	struct buf *out = p->out;
	char text[NUMBER_TEXT_SIZE];

	find_nights(&t);
	for (size_t i = 0; i < t.n; i++)
		t.names[i] = page_print(
			p, "%s",
			number_print_day(track_night_ms(p->history, t.nights[t.n - 1 - i]), text));
	const size_t n = t.n < LEAST_NIGHTS ? 0 : choose_rows(&t, rows);

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
			write_row(&t, rows[i]);
	buf_add_str(out, "</tbody></table>\n");
}
