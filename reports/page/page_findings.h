/* Findings of the newest nights: kernels that broke, became slower or faster, drift, or are to be
 * watched. Those of one night that one new driver or the machine itself explains are one finding,
 * and so are broken implementations of one problem. */
#ifndef ASCTUNE_PAGE_PAGE_FINDINGS_H
#define ASCTUNE_PAGE_PAGE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/track/track_control.h"
#include "reports/track/track_series.h"
#include "tuner/base/err.h"

struct page;
struct page_kernel;
struct page_series;

struct page_finding { /* one kernel; the first of its group stands for all */
	const struct page_series *place;
	const struct page_kernel *kernel; /* NULL: its newest run has no results */
	struct track_control control;     /* its baseline at the change */
	int64_t night;     /* track_night_of() of the change, else of its newest run */
	const char *group; /* what explains the whole group; NULL: a finding of its own */
	bool fresh;        /* its verdict is new in the newest night */
};

/* Makes the list of findings, by verdict and then the newest first; groups stand together. Needs
 * the kernels. */
enum asc_status page_findings_read(struct page *p, struct asc_err *e);

/* Number of kernels in the group that begins at index `first`. */
size_t page_findings_size(const struct page *p, size_t first);

/* Counts kernels by verdict, without those of baselines; `reasons` for being slower. */
struct page_finding_counts {
	size_t of[TRACK_VERDICT_COUNT], reasons, acknowledged, fresh;
	size_t n_short; /* undecided ones that have too few points; not among these counts */
};
struct page_finding_counts page_findings_count(const struct page *p);

#endif
