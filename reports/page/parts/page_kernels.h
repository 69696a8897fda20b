/* Tuned kernels: each problem of a workload on a device under a cache policy, with its newest run
 * and its best configuration. Read once, in the order in which the page shows them. */
#ifndef ASCTUNE_PARTS_PAGE_KERNELS_H
#define ASCTUNE_PARTS_PAGE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "db/run_view.h"
#include "tuner/base/err.h"

struct page;
struct track_series;
struct page_best;
struct track_series;
struct buf;

struct page_kernel {                  /* texts: page_alloc(); those of `run` may be NULL */
	struct db_run_view run;       /* newest run with results */
	const struct page_best *best; /* NULL: nothing stands, or imported results */
	const char *id;               /* "r_" and 16 digits, equal for all runs of the kernel */
	/* History that is broken or slower, that of the best implementation before others; NULL:
	 * none. */
	const struct track_series *failing;
	bool unfinished; /* its best comes from a run that did not end */
	bool card;       /* has a card of its own */
	bool views;      /* its card has views of its newest run to unfold */
};

/* Reads all into the page: those that are doubtful first, then in natural order of names. Needs the
 * best configurations and the histories. */
enum asc_status page_kernels_read(struct page *p, struct asc_err *e);

/* Prints "workload / problem on device, cache cold", any bytes, into memory of page_alloc(). */
const char *page_run_name(struct page *p, const struct db_run_view *row);

/* Words for the device, the outcome and the origin of a run. */
const char *page_run_device(const struct db_run_view *row);  /* its model, else its kind */
const char *page_run_outcome(const struct db_run_view *row); /* "completed", "interrupted", ... */
const char *page_run_origin(const struct db_run_view *row); /* ", imported results"; "": measured */

/* Writes "workload/problem". */
void page_kernel_write_name(const char *workload, const char *problem, struct buf *out);

/* True where the best implementation itself is broken or slower now. */
bool page_kernel_is_failing(const struct page_kernel *k);

/* Writes what makes the best configuration of a kernel an old or an early answer: broken or slower
 * now, or of a run that did not end. */
void page_kernel_write_state(const struct page_kernel *k, struct buf *out);

/* Writes the command that measures a kernel again; with a series the one that tells most of it, and
 * before it what for. */
void page_kernel_write_command(const struct page *p, const struct page_kernel *k,
			       const struct track_series *s, struct buf *out);

/* Writes the command that runs one configuration of a kernel. */
void page_kernel_write_repeat(const struct page *p, const struct page_kernel *k,
			      const char *implementation, const char *config_key, struct buf *out);

/* Writes a command that asks about the best configuration: "profile", or "code" `against` another
 * one (NULL: none). */
void page_kernel_write_inquiry(const struct page *p, const struct page_kernel *k,
			       const char *command, const char *against, struct buf *out);

/* Writes the command that goes on with the run of the best configuration, which is there. */
void page_kernel_write_go_on(const struct page *p, const struct page_kernel *k, struct buf *out);

#endif
