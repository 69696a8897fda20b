/* The place of each history on the page, and its name there. */
#ifndef ASCTUNE_PARTS_PAGE_SERIES_H
#define ASCTUNE_PARTS_PAGE_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/track/track_series.h"

struct buf;
struct db_run_view;
struct track_kernel;
struct page;

enum page_place {
	PAGE_NOWHERE, /* beyond the rows of the table, so nowhere */
	PAGE_ROW,     /* in the table of all */
	PAGE_FOLDED,  /* a folded picture */
	PAGE_SHOWN    /* an open picture */
};

struct page_series {
	const struct track_series *series;
	size_t number; /* index in the history */
	char id[20];   /* id: "k_" and 16 digits, equal for every run */
	enum page_place place;
};

/* Makes the list of the history's series, worst first, baselines last, with their places; ended by
 * a NULL series. NULL when out of memory. */
struct page_series *page_series_arrange(struct page *p);

/* Kernel that a run tuned, as histories name it, without an implementation. */
struct track_kernel page_series_kernel(const struct db_run_view *run);

/* Write kernel, problem and device; the second one with a link to the history, if the page has it.
 */
void page_series_name(const struct track_series *s, struct buf *out);
void page_series_link(const struct page_series *s, struct buf *out);

/* Class and mark of each verdict: colour and shape. */
struct page_verdict_look {
	const char *class, *mark;
};
extern const struct page_verdict_look page_verdict_looks[TRACK_VERDICT_COUNT];

/* Writes "▲ slower" and so on: shape, colour and words; of a baseline without colour. */
void page_series_badge(const struct track_series *s, struct buf *out);

/* Writes the sparkline of its newest points. */
void page_series_spark(const struct track_series *s, struct buf *out);

enum { PAGE_TREND_NIGHTS = 60 };

/* Writes the newest nights of a history beside its baseline's, in percent of the level before the
 * newest change: a small picture that needs no gnuplot. Nothing for fewer than three nights. */
void page_trend_write(struct page *p, const struct page_series *place);

#endif
