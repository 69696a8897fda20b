/* The card of a finding: what happened, why, and what to do. */
#ifndef ASCTUNE_PAGE_PAGE_FINDING_CARD_H
#define ASCTUNE_PAGE_PAGE_FINDING_CARD_H

#include <stddef.h>

#include "tuner/base/err.h"

struct page;
struct page_finding;

/* Writes the card of `n` kernels of one group; the first has the picture. */
enum asc_status page_finding_card(struct page *p, const struct page_finding *list, size_t n,
				  struct asc_err *e);

#endif
