/* One run within the section of runs. */
#ifndef ASCTUNE_PAGE_PAGE_RUNS_H
#define ASCTUNE_PAGE_PAGE_RUNS_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct db_run_view;
struct page;

/* With all its views; folded ones are opened by the reader. */
enum asc_status page_run_write(struct page *p, const struct db_run_view *row, bool folded,
			       struct asc_err *e);

#endif
