/* The picture of one history: nights, levels, changes, and what else changed on the way. */
#ifndef ASCTUNE_PAGE_PAGE_HISTORY_H
#define ASCTUNE_PAGE_PAGE_HISTORY_H

#include "tuner/base/err.h"

struct page;
struct page_series;

/* The figure with its data as tables, under the id of the series. */
enum asc_status page_history_figure(struct page *p, const struct page_series *s, struct asc_err *e);

#endif
