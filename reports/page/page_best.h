/* The database's answers, as `asctune best` gives them: read once, shown in a table, asked for by
 * the views of runs. */
#ifndef ASCTUNE_PAGE_PAGE_BEST_H
#define ASCTUNE_PAGE_PAGE_BEST_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/tie.h"

struct page;

struct page_best { /* texts: page_alloc(), none is NULL */
	const char *workload, *problem, *device, *cache_policy, *implementation, *config_key;
	const char *baseline;
	bool is_default;
	struct sureness sure;
	double median_ns, low_ns, high_ns, default_ns, baseline_ns; /* 0: not compared */
	int64_t run_id; /* whose finals or trial it is from */
};

/* Reads all into the page. */
enum asc_status page_best_read(struct page *p, struct asc_err *e);

/* The answer that is from this run; NULL: none is. */
const struct page_best *page_best_of_run(const struct page *p, int64_t run_id);

/* The table, doubtful ones first; nothing where there are no answers. */
void page_best_write(struct page *p);

#endif
