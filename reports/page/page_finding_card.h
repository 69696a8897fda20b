/* The card of a finding: what happened, why, and what to do. */
#ifndef ASCTUNE_PAGE_PAGE_FINDING_CARD_H
#define ASCTUNE_PAGE_PAGE_FINDING_CARD_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct page;
struct page_finding;
struct track_point;
struct track_series;

/* Writes the card of `n` kernels of one group; the first has the picture. */
enum asc_status page_finding_card(struct page *p, const struct page_finding *list, size_t n,
				  struct asc_err *e);

/* Writes what was recorded to differ on either side of a change; false: nothing. */
bool page_facts_write(const struct track_series *s, const struct track_point *points,
		      struct buf *out);

#endif
