/* Figures of the page: a caption, a picture that is drawn later, and its data as a table.
 *
 *	page_figure_begin(p, &picture, "caption");
 *	html_table_begin(...) ... html_table_end(...)
 *	page_figure_end(p); */
#ifndef ASCTUNE_PARTS_PAGE_FIGURE_H
#define ASCTUNE_PARTS_PAGE_FIGURE_H

#include <stddef.h>

#include "reports/page/plot/picture.h"
#include "tuner/base/err.h"

struct buf;
struct page;

struct page_figure {
	struct picture picture;
	size_t at; /* offset of the picture in the page's text */
};

/* Begins a figure. Data of `request` must live as long as the page: page_alloc(). Its id is the
 * figure's, too. The caption is text. */
void page_figure_begin(struct page *p, const struct picture *request, const char *caption);
void page_figure_end(struct page *p);

/* Draws all figures and appends the page's text with them to `out`: a note in the place of a
 * missing one. */
enum asc_status page_figures_join(struct page *p, struct buf *out, struct asc_err *e);

void page_figures_free(struct page *p);

#endif
