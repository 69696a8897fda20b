/* The order of a page.
 *
 * 1. What sections share is read: histories with their places on the page; best configurations;
 *    what was measured for covers; kernels, which need both; findings, which need all of these.
 * 2. The table of sections is chosen: a page of nights, of a first tuning, or of a comparison.
 * 3. Head, sections and foot are written into one text. A section asks for its pictures while it is
 *    written; each figure notes its place in the text.
 * 4. All pictures are drawn, several at once, and the text is joined with them.
 *
 * Text that would become too large is cut by sections, pictures by their places: the words that
 * matter most stand first. */
#include "reports/page/page.h"

#include "reports/page/page_findings.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_figure.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_series.h"
#include "reports/page/plot/palette.h"
#include "reports/page/plot/plotter.h"
#include "reports/track/track_compare.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"

/* Sections of a page of nights: what changed comes first. */
static const struct page_section night_sections[] = {
	{"verdict", NULL, page_write_verdict, NULL},
	{"changes", "Changes", page_write_changes, page_has_no_changes},
	{"best", "Best", page_write_best, page_has_no_best},
	{"cover", "Cover", page_write_cover, page_has_no_cover},
	{"runs", "Kernels", page_write_runs, NULL},
	{"roofline", "Roofline", page_write_roofline, page_has_no_roofline},
	{"history", "History", page_write_history, page_has_no_history},
	{"method", "Method", page_write_method, NULL},
	{NULL, NULL, NULL, NULL},
};

/* Sections of a page without histories: the best come first. Nothing can have changed, but what
 * never passed is broken. */
static const struct page_section tuning_sections[] = {
	{"verdict", NULL, page_write_verdict, NULL},
	{"best", "Best", page_write_best, page_has_no_best},
	{"changes", "Broken", page_write_changes, page_has_no_changes},
	{"cover", "Cover", page_write_cover, page_has_no_cover},
	{"runs", "Kernels", page_write_runs, NULL},
	{"roofline", "Roofline", page_write_roofline, page_has_no_roofline},
	{"history", "History", page_write_history, page_has_no_history},
	{"method", "Method", page_write_method, NULL},
	{NULL, NULL, NULL, NULL},
};

/* Sections of a comparison. */
static const struct page_section comparison_sections[] = {
	{"verdict", NULL, page_write_compared, NULL},
	{"changes", "Changes", page_write_compared_changes, NULL},
	{"noise", "Within noise", page_write_compared_noise, page_has_no_noise},
	{"others", "Not compared", page_write_uncompared, page_has_no_uncompared},
	{"method", "Method", page_write_comparison_method, NULL},
	{NULL, NULL, NULL, NULL},
};

/* True where no history has two points: nothing can have changed. */
bool page_has_no_history(const struct page *p)
{
	for (size_t i = 0; p->history && i < p->history->n; i++)
		if (p->history->list[i].n > 1 || p->history->list[i].verdict == TRACK_BROKEN)
			return false;
	return true;
}

/* ---- head and foot ---- */

/* Light, unless the reader's system or the override says dark; paper is light. */
static void write_style(struct buf *out)
{
	buf_add_str(out, "<style>\n:root{");
	palette_print_light(out);
	buf_add_str(out, "}\n@media screen and (prefers-color-scheme:dark){"
			 ":root:not([data-theme=light]){");
	palette_print_dark(out);
	buf_add_str(out, "}}\n@media screen{:root[data-theme=dark]{");
	palette_print_dark(out);
	buf_add_str(out, "}}\n");
	buf_add_str(out, page_style);
	for (int i = 0; i < PAGE_HEAT_STEPS; i++) {
		const double place = (double)i / (PAGE_HEAT_STEPS - 1);

		buf_print(out, ".heat .h%d{background:#%06x;color:#%06x}\n", i,
			  palette_find_ramp(place),
			  place < palette_ink_turn ? PALETTE_INK_LIGHT : PALETTE_INK_DARK);
	}
	buf_add_str(out, "</style>\n");
}

static bool is_left_out(const struct page *p, const struct page_section *s)
{
	return s->is_empty && s->is_empty(p);
}

static void write_head(const struct page *p)
{
	struct buf *out = p->out;

	buf_add_str(out,
		    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		    "<meta name=\"color-scheme\" content=\"light dark\"/>\n" PAGE_MARK);
	if (p->request->sides) {
		html_text(out, p->request->sides[TRACK_BASE].name);
		buf_add_str(out, " → ");
	}
	html_text(out,
		  p->request->sides ? p->request->sides[TRACK_AGAINST].name : p->request->path);
	buf_add_str(out, "</title>\n");
	write_style(out);
	buf_add_str(out, "</head>\n<body>\n<a class=\"skip\" href=\"#main\">to the report</a>\n"
			 "<header><nav aria-label=\"Sections\">");
	for (const struct page_section *s = p->sections; s->id; s++)
		if (s->title && !is_left_out(p, s))
			buf_print(out, "<a href=\"#%s\">%s</a> ", s->id, s->title);
	buf_add_str(out, "</nav></header>\n<main id=\"main\">\n");
}

/* ---- sections ---- */

static enum asc_status write_sections(struct page *p, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	write_head(p);
	for (const struct page_section *s = p->sections; s->id && status == ASC_OK; s++) {
		if (is_left_out(p, s))
			continue;
		buf_print(p->out, "<section id=\"%s\">", s->id);
		if (s->title)
			buf_print(p->out, "<h2>%s</h2>\n", s->title);
		if (p->out->len < PAGE_BYTES_MOST)
			status = s->write(p, e);
		else
			buf_add_str(p->out,
				    "<p class=\"note\">Left out: the page would be larger than "
				    "5 MB.</p>\n");
		buf_add_str(p->out, "</section>\n");
	}
	/* The page is XML, too, whose readers take "<" in a script for a tag. */
	buf_add_str(p->out, "</main>\n<script>//<![CDATA[\n");
	buf_add_str(p->out, page_script);
	buf_add_str(p->out, "//]]></script>\n</body>\n</html>\n");
	return status == ASC_OK ? buf_check(p->out, e) : status;
}

/* ---- all ---- */

/* Reads what the sections of a page of a database share, each from what was read before. */
static enum asc_status read_database(struct page *p, struct track_history **h, struct asc_err *e)
{
	enum asc_status status =
		track_history_open(p->db, p->request->path, &track_rule_default, h, e);
	const struct track_history *history = *h;

	if (status == ASC_ABSENT) {
		status = ASC_OK; /* nothing was measured: the page says so */
	} else {
		p->history = history;
		/* A history that cannot be judged yet makes no page of nights. */
		for (size_t i = 0; history && i < history->n; i++)
			p->tracks |= history->list[i].n >= CHANGEPOINT_POINTS ||
				     (history->list[i].verdict == TRACK_BROKEN &&
				      history->list[i].n > 0);
		if (status == ASC_OK) {
			p->series = page_series_arrange(p);
			status = p->series ? ASC_OK : asc_err_nomem(e);
		}
	}
	if (status == ASC_OK)
		status = page_best_read(p, e);
	if (status == ASC_OK)
		status = page_cover_read(p, e);
	if (status == ASC_OK)
		status = page_kernels_read(p, e);
	return status == ASC_OK ? page_findings_read(p, e) : status;
}

enum asc_status page_write(const struct page_request *r, struct buf *out, struct asc_err *e)
{
	struct buf text = {0};
	struct plotter plotter;
	struct track_history *h = NULL;
	struct page p = {.request = r, .out = &text, .db = r->db, .plotter = &plotter};

	if (plotter_open(&plotter, r->plotter, e))
		return e->status;
	enum asc_status status = r->comparison ? ASC_OK : read_database(&p, &h, e);

	p.sections = r->comparison ? comparison_sections
		     : p.tracks    ? night_sections
				   : tuning_sections;
	if (status == ASC_OK)
		status = write_sections(&p, e);
	if (status == ASC_OK)
		status = page_figures_join(&p, out, e);
	page_figures_free(&p);
	page_free(&p);
	track_groups_fini(&p.groups);
	track_history_free(h);
	plotter_close(&plotter);
	buf_fini(&text);
	return status;
}
