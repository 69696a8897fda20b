/* Where on the page a history is found, and under which name. */
#ifndef ASCTUNE_PAGE_PAGE_SERIES_H
#define ASCTUNE_PAGE_PAGE_SERIES_H

#include <stddef.h>

#include "reports/track/track_series.h"

struct buf;
struct page;

enum page_place {
	PAGE_NOWHERE, /* beyond the rows of the table */
	PAGE_ROW,     /* in the table of all */
	PAGE_FOLDED,  /* a picture that is to be unfolded */
	PAGE_SHOWN    /* a picture in sight */
};

struct page_series {
	const struct track_series *series;
	size_t number; /* in the history */
	char id[20];   /* "k_" and 16 digits: the same from night to night */
	enum page_place place;
};

/* The history's series, worst first, and where each will stand; ended by a NULL series. NULL when
 * out of memory. */
struct page_series *page_series_arrange(struct page *p);

/* Kernel, shape and where it ran; the second with a link to its history where there is one. */
void page_series_name(const struct track_series *s, struct buf *out);
void page_series_link(const struct page_series *s, struct buf *out);

/* "▲ slower" and so on: shape, colour and word. */
void page_series_badge(const struct track_series *s, struct buf *out);

/* The sparkline of its newest points. */
void page_series_spark(const struct track_series *s, struct buf *out);

#endif
