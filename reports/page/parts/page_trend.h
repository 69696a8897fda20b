/* The newest nights of a history beside its baseline's, in percent of the level before the newest
 * change: a small picture that needs no gnuplot. */
#ifndef ASCTUNE_PARTS_PAGE_TREND_H
#define ASCTUNE_PARTS_PAGE_TREND_H

struct page;
struct page_series;

enum { PAGE_TREND_NIGHTS = 60 };

/* Writes the picture; nothing for fewer than three nights. */
void page_trend_write(struct page *p, const struct page_series *place);

#endif
