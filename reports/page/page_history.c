/* The section of histories: nights and kernels as a heat table; pictures of those that changed;
 * then, folded, of others; then a table of all. */

#include <math.h>

#include "reports/page/page.h"
#include "reports/page/page_nights.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/parts/page_series.h"
#include "tuner/base/buf.h"

static void write_name(struct page *p, const struct page_series *s)
{
	page_series_name(s->series, p->out);
	buf_add_char(p->out, ' ');
	page_series_badge(s->series, p->out);
}

static enum asc_status write_folded(struct page *p, const struct page_series *s, struct asc_err *e)
{
	buf_add_str(p->out, "<details class=\"item\"><summary>");
	write_name(p, s);
	buf_add_str(p->out, "</summary>\n");
	enum asc_status status = page_history_figure(p, s, e);

	buf_add_str(p->out, "</details>\n");
	return status;
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
		if (s->place == PAGE_FOLDED)
			status = write_folded(p, s, e);
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

	page_nights_write(p);
	status = write_pictures(p, e);
	if (status != ASC_OK)
		return status;
	write_all(p);
	return page_transitions_write(p, e);
}
