/* The best configurations of the database, as `asctune best` gives them: read once, shown in a
 * table, referred to by the views of runs. */
#ifndef ASCTUNE_PAGE_PAGE_BEST_H
#define ASCTUNE_PAGE_PAGE_BEST_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/results/tie.h"

struct page;

struct page_best { /* texts: page_alloc(), none is NULL */
	const char *workload, *problem, *device, *cache_policy, *implementation, *config_key;
	const char *baseline;
	bool is_default;
	struct sureness sure;
	double median_ns, low_ns, high_ns, default_ns, baseline_ns; /* ratio; 0: not compared */
	int64_t run_id;                                             /* run of its finals or trial */
};

/* Reads all best configurations into the page. */
enum asc_status page_best_read(struct page *p, struct asc_err *e);

/* Finds the best configuration that comes from this run; NULL: none. */
const struct page_best *page_best_of_run(const struct page *p, int64_t run_id);

/* Writes the table, doubtful ones first; nothing where there are none. */
void page_best_write(struct page *p);

#endif
