/* The report: one HTML file about everything that the database holds, without outside parts.
 *
 * Sections are entries of one table (page.c), each written by its own function into the same text.
 * Pictures are asked for while the text is written, drawn together at the end, and put where they
 * belong. The same database gives, with the same peaks of its devices, the same bytes: dates are
 * those of the data. */
#ifndef ASCTUNE_PAGE_PAGE_H
#define ASCTUNE_PAGE_PAGE_H

#include <stdbool.h>

#include "reports/page/parts/page_core.h"
#include "tuner/base/err.h"

/* Style sheet and script of the page: page.css and page.js, made into texts by the build
 * (cmake/embed.cmake). */
extern const char page_style[], page_script[];

#define PAGE_MARK "<title>asctune: " /* near the beginning of each page */

/* Writes the page. Fails with ASC_NOMEM and the failures of reading the database; missing pictures
 * are no failure, and noted on the page. */
enum asc_status page_write(const struct page_request *r, struct buf *out, struct asc_err *e);

/* The sections, and when they are left out. Each has a file of its own, but page_head.c has the
 * first section of either kind of page, and page_compare.c the other sections of a comparison. */
page_write_fn page_write_verdict, page_write_changes, page_write_best, page_write_runs,
	page_write_cover, page_write_roofline, page_write_history, page_write_method;
page_write_fn page_write_compared, page_write_compared_changes, page_write_compared_noise,
	page_write_uncompared, page_write_comparison_method;
bool page_has_no_noise(const struct page *p);
bool page_has_no_uncompared(const struct page *p);
bool page_has_no_roofline(const struct page *p);
bool page_has_no_changes(const struct page *p);
bool page_has_no_best(const struct page *p);
bool page_has_no_cover(const struct page *p);
bool page_has_no_history(const struct page *p);

/* Reads what was measured for covers into the page. */
enum asc_status page_cover_read(struct page *p, struct asc_err *e);

/* Writes, folded, configurations that started or stopped working, and kernels without data. */
enum asc_status page_transitions_write(struct page *p, struct asc_err *e);

/* Writes the figure of a history, points, levels, changes, and events between them, with its data
 * as tables, under the id of the series. */
enum asc_status page_history_figure(struct page *p, const struct page_series *s, struct asc_err *e);

#endif
