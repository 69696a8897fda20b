#include "reports/page/parts/page_trend.h"

#include <math.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/parts/page_series.h"
#include "reports/page/plot/history_marks.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"

enum { LEAST = 3, NAME = 60 };

/* Fills values of the nights of `s` from `from` on, in percent of `level`: its own, or those of
 * another series in the same runs. */
static const double *fill_line(struct page *p, const struct track_series *s, size_t from,
			       const struct track_series *of, double level)
{
	double *values = page_alloc(p, (PAGE_TREND_NIGHTS + 1) * sizeof *values);
	size_t k = 0;

	for (size_t i = from; values && i < s->n; i++) {
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

	for (size_t i = of->n; i-- > 0 && n < PAGE_TREND_NIGHTS / 2;)
		if (!s->changed || of->points[i].started_ms < s->points[s->index].started_ms) {
			sum += of->values[i];
			n++;
		}
	return n ? sum / (double)n : of->values[of->n - 1];
}

static void write_key(struct page *p, const struct track_series *s, const struct track_series *base)
{
	buf_add_str(p->out, "<p class=\"key\"><span class=\"warn\">— ");
	html_name(p->out, s->implementation, NAME);
	buf_add_str(p->out, "</span> <span class=\"s1\">— ");
	html_name(p->out, base->implementation, NAME);
	buf_add_str(p->out, ", baseline</span></p>\n");
}

void page_trend_write(struct page *p, const struct page_series *place)
{
	const struct track_series *s = place->series;
	const struct track_series *base = s->baseline;
	const size_t from = s->n > PAGE_TREND_NIGHTS ? s->n - PAGE_TREND_NIGHTS : 0;
	char first[NUMBER_TEXT_SIZE], last[NUMBER_TEXT_SIZE];

	if (s->n < LEAST)
		return;
	struct trend t = {
		.lines = {{fill_line(p, s, from, s, s->changed ? s->before : find_level(s, s)),
			   s->implementation}},
		.n = s->n - from,
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
	if (t.lines[1].values)
		write_key(p, s, base);
	buf_add_str(p->out, "</div>\n");
}
