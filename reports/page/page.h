/* The report: one HTML file about everything that the database holds, without outside parts.
 *
 * Sections are entries of one table (page.c), each written by its own function into the same text.
 * Pictures are asked for while the text is written, drawn together at the end, and put where they
 * belong. The same database gives the same bytes: dates are those of the data. */
#ifndef ASCTUNE_PAGE_PAGE_H
#define ASCTUNE_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct db;
struct page_best;
struct page_block;
struct page_figure;
struct page_series;
struct track_history;

struct page_request { /* borrowed during the call */
	struct db *db;
	const char *path;    /* of the database */
	const char *file;    /* that the page is for, as in the command that makes it again */
	const char *version; /* of asctune */
	const char *plotter; /* program that draws; NULL: gnuplot, in PATH */
};

/* What the sections share. */
struct page {
	const struct page_request *request;
	struct buf *out;
	struct db *db;
	const struct track_history *history; /* NULL: no ended run measured anything */
	const struct page_series *series;    /* one for each of the history's */
	const struct page_best *best;        /* answers of the database */
	size_t n_best;
	struct page_figure *figures;
	size_t n_figures, figures_room;
	struct page_block *blocks; /* of page_alloc() */
};

typedef enum asc_status page_write_fn(struct page *p, struct asc_err *e);

struct page_section {
	const char *id, *title; /* of the <section> and its <h2> */
	page_write_fn *write;
};

extern const struct page_section page_sections[]; /* in the order of reading; ended by a NULL id */

enum {
	PAGE_BYTES = 3000000,     /* beyond which pictures are left out */
	PAGE_BYTES_MOST = 5000000 /* beyond which sections are */
};

/* Writes the page. ASC_NOMEM and what reading the database gives; that there are no pictures is no
 * failure, and said on the page. */
enum asc_status page_write(const struct page_request *r, struct buf *out, struct asc_err *e);

/* Zeroed memory that lives as long as the page, for what pictures are of; NULL when out of memory,
 * which page_write() then says. */
void *page_alloc(struct page *p, size_t bytes);
const char *page_print(struct page *p, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* a text of the same kind; "" when out of memory */

#endif
