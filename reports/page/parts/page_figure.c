#include "reports/page/parts/page_figure.h"

#include <stdlib.h>
#include <string.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/plot/plotter.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"

void page_figure_begin(struct page *p, const struct picture *request, const char *caption)
{
	buf_print(p->out, "<figure id=\"%s\"><figcaption>", request->id);
	html_text(p->out, caption);
	buf_add_str(p->out, "</figcaption>\n");
	if (array_room(&p->figures, p->n_figures, &p->figures_room, sizeof *p->figures))
		p->figures[p->n_figures++] =
			(struct page_figure){.picture = *request, .at = p->out->len};
	else
		p->out->failed = true;
	/* Without pictures their data are what there is to see: unfolded. */
	buf_print(p->out, "<details class=\"data\"%s><summary>the data as a table</summary>\n",
		  p->plotter->program ? "" : " open=\"open\"");
}

void page_figure_end(struct page *p)
{
	buf_add_str(p->out, "</details></figure>\n");
}

static enum asc_status draw(struct page *p, struct asc_err *e)
{
	struct picture *list = calloc(p->n_figures + 1, sizeof *list);

	if (!list)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->n_figures; i++)
		list[i] = p->figures[i].picture;
	const enum asc_status status = pictures_draw(p->plotter, list, p->n_figures, e);

	for (size_t i = 0; i < p->n_figures; i++)
		p->figures[i].picture = list[i];
	free(list);
	return status;
}

static void write_note(struct buf *out, const char *reason)
{
	buf_add_str(out, "<p class=\"note\">No picture here: ");
	html_text(out, reason);
	buf_add_str(out, ". The table below has what it would show.</p>\n");
}

/* Writes a picture, or the reason for its absence, unless that is said at the top of the page. */
static void write_picture(const struct picture *p, bool drawable, size_t left, struct buf *out)
{
	if (!drawable) /* the page says so once, in its head */
		return;
	if (!p->svg)
		write_note(out, p->reason ? p->reason : "it was not drawn");
	else if (strlen(p->svg) > left)
		write_note(out, "the page would be larger than 3 MB");
	else
		buf_add_str(out, p->svg);
	if (p->svg && p->shown < p->given)
		buf_print(out, "<p class=\"note\">%zu of %zu marks are drawn.</p>\n", p->shown,
			  p->given);
}

enum asc_status page_figures_join(struct page *p, struct buf *out, struct asc_err *e)
{
	size_t from = 0, pictures = 0;

	if (draw(p, e))
		return e->status;
	for (size_t i = 0; i < p->n_figures; i++) {
		const struct page_figure *f = &p->figures[i];
		/* All text counts, also what follows: it is written already, and goes first. */
		size_t used = p->out->len + pictures, before = 0;

		buf_add(out, p->out->data + from, f->at - from);
		before = out->len;
		write_picture(&f->picture, p->plotter->program != NULL,
			      used < PAGE_BYTES ? PAGE_BYTES - used : 0, out);
		pictures += out->len - before;
		from = f->at;
	}
	buf_add(out, p->out->data + from, p->out->len - from);
	return buf_check(out, e);
}

void page_figures_free(struct page *p)
{
	for (size_t i = 0; i < p->n_figures; i++)
		picture_fini(&p->figures[i].picture);
	free(p->figures);
	p->figures = NULL;
	p->n_figures = p->figures_room = 0;
}
