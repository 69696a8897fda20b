/* The card of a kernel, with the views of its newest run. */
#ifndef ASCTUNE_RUN_PAGE_RUN_H
#define ASCTUNE_RUN_PAGE_RUN_H

#include "tuner/base/err.h"

struct page;
struct page_kernel;

/* Writes the card of a kernel: its answer, and folded, where it has them, the views of its newest
 * run. */
enum asc_status page_run_write(struct page *p, const struct page_kernel *k, struct asc_err *e);

/* Writes what devices that tuned the same problem have in common; nothing where there are none. */
enum asc_status page_runs_devices(struct page *p, struct asc_err *e);

#endif
