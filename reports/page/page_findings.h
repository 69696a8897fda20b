/* Findings of the newest nights: the groups of reports/track that are reported one by one, with
 * what the page has about each kernel; and their cards. */
#ifndef ASCTUNE_PAGE_PAGE_FINDINGS_H
#define ASCTUNE_PAGE_PAGE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct page;
struct page_kernel;
struct page_series;
struct track_entry;
struct track_point;
struct track_series;

struct page_finding { /* one kernel; the first of its group stands for all */
	const struct track_entry *entry;
	const struct page_series *place;
	const struct page_kernel *kernel; /* NULL: its newest run has no results */
	bool fresh;                       /* its verdict is new in the newest night */
};

/* Makes the list of findings, in the order of the groups. Needs the kernels. */
enum asc_status page_findings_read(struct page *p, struct asc_err *e);

/* Number of kernels in the group that begins at index `first`. */
size_t page_findings_size(const struct page *p, size_t first);

size_t page_findings_count_fresh(const struct page *p);

/* Writes the card of `n` kernels of one group; the first has the picture. */
enum asc_status page_finding_card(struct page *p, const struct page_finding *list, size_t n,
				  struct asc_err *e);

/* Writes what was recorded to differ on either side of a change; false: nothing. */
bool page_facts_write(const struct track_series *s, const struct track_point *points,
		      struct buf *out);

#endif
