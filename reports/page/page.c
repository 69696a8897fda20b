#include "reports/page/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/html.h"
#include "reports/page/page_assets.h"
#include "reports/page/page_best.h"
#include "reports/page/page_figure.h"
#include "reports/page/page_series.h"
#include "reports/plot/palette.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"

const struct page_section page_sections[] = {
	{"verdict", "Verdict", page_write_verdict},
	{"changes", "Changes", page_write_changes},
	{"history", "History", page_write_history},
	{"runs", "Tuning runs", page_write_runs},
	{"parameters", "Old best against new best", page_write_parameters},
	{"method", "Method and environment", page_write_method},
	{NULL, NULL, NULL},
};

/* ---- memory ---- */

struct page_block {
	struct page_block *next;
	max_align_t data[];
};

void *page_alloc(struct page *p, size_t bytes)
{
	struct page_block *b = calloc(1, sizeof *b + bytes);

	if (!b) {
		p->out->failed = true;
		return NULL;
	}
	b->next = p->blocks;
	p->blocks = b;
	return b->data;
}

const char *page_print(struct page *p, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	int len = vsnprintf(NULL, 0, format, args);

	va_end(args);
	if (len >= 0)
		text = page_alloc(p, (size_t)len + 1);
	if (!text)
		return "";
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}

static void free_blocks(struct page *p)
{
	while (p->blocks) {
		struct page_block *next = p->blocks->next;

		free(p->blocks);
		p->blocks = next;
	}
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
	buf_add_str(out, "</style>\n");
}

static void write_head(const struct page *p)
{
	struct buf *out = p->out;

	buf_add_str(out,
		    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		    "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>asctune: ");
	html_text(out, p->request->path);
	buf_add_str(out, "</title>\n");
	write_style(out);
	buf_add_str(out, "</head>\n<body>\n<a class=\"skip\" href=\"#main\">to the report</a>\n"
			 "<header><nav aria-label=\"Sections\">");
	for (const struct page_section *s = page_sections; s->id; s++)
		buf_print(out, "<a href=\"#%s\">%s</a> ", s->id, s->title);
	buf_add_str(out, "</nav></header>\n<main id=\"main\">\n<h1>asctune report: ");
	html_name(out, p->request->path, 80);
	buf_add_str(out, "</h1>\n");
}

/* ---- sections ---- */

static enum asc_status write_section(struct page *p, const struct page_section *s,
				     struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	buf_print(p->out, "<section id=\"%s\" aria-labelledby=\"%s-h\"><h2 id=\"%s-h\">%s</h2>\n",
		  s->id, s->id, s->id, s->title);
	if (p->out->len < PAGE_BYTES_MOST)
		status = s->write(p, e);
	else
		buf_add_str(p->out, "<p class=\"note\">Left out: the page would be larger than "
				    "5 MB.</p>\n");
	buf_add_str(p->out, "</section>\n");
	return status;
}

static enum asc_status write_sections(struct page *p, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	write_head(p);
	for (const struct page_section *s = page_sections; s->id && status == ASC_OK; s++)
		status = write_section(p, s, e);
	buf_add_str(p->out, "</main>\n<script>//<![CDATA[\n");
	buf_add_str(p->out, page_script);
	buf_add_str(p->out, "//]]></script>\n</body>\n</html>\n");
	return status == ASC_OK ? buf_check(p->out, e) : status;
}

static enum asc_status open_history(struct page *p, struct track_history **h, struct asc_err *e)
{
	enum asc_status status =
		track_history_open(p->db, p->request->path, &track_rule_default, h, e);

	if (status == ASC_ABSENT)
		return ASC_OK; /* nothing was measured: the page says so */
	p->history = *h;
	if (status == ASC_OK) {
		p->series = page_series_arrange(p);
		status = p->series ? ASC_OK : asc_err_nomem(e);
	}
	return status;
}

enum asc_status page_write(const struct page_request *r, struct buf *out, struct asc_err *e)
{
	struct buf text = {0};
	struct track_history *h = NULL;
	struct page p = {.request = r, .out = &text, .db = r->db};
	enum asc_status status = open_history(&p, &h, e);

	if (status == ASC_OK)
		status = page_best_read(&p, e);
	if (status == ASC_OK)
		status = write_sections(&p, e);
	if (status == ASC_OK)
		status = page_figures_join(&p, out, e);
	page_figures_free(&p);
	free_blocks(&p);
	track_history_free(h);
	buf_fini(&text);
	return status;
}
