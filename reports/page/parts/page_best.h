/* The best configurations of the database, as `asctune best` gives them: read once, shown in a
 * table, referred to by the cards of kernels. */
#ifndef ASCTUNE_PARTS_PAGE_BEST_H
#define ASCTUNE_PARTS_PAGE_BEST_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/baselines.h"
#include "tuner/result/tie.h"

struct buf;
struct page;
struct profile;

struct page_best { /* texts: page_alloc(), none is NULL but as said */
	const char *workload, *problem, *device, *device_kind, *device_model, *cache_policy;
	const char *implementation, *config_key, *default_key;
	struct baselines baselines;
	bool is_default;
	bool default_may_lead; /* the default was not shown to be slower */
	bool has_macros;       /* its source is compiled with the parameters as macros of C */
	/* Parameters of its launch, which are no macros, ",NAME,NAME,"; NULL: not known, since the
	 * workload's file is gone or another one now. */
	const char *of_launch;
	struct sureness sure;
	double median_ns, low_ns, high_ns; /* low, high: NaN: unknown */
	double host_ns;                    /* as in struct best_row */
	double default_ns, vs_default;     /* 0: not compared */
	double part_pct;                   /* of what is attainable; 0: not known */
	const char *part_note;             /* as in struct roofline; static */
	int64_t run_id;                    /* run of its finals or trial */
	int64_t final_run_id;              /* run of its finals; 0: none were held */
	bool unfinished;               /* its run was killed, interrupted or failed, or goes on */
	bool failed;                   /* nothing of the kernel passes any more: what passed last */
	const char *run_budget;        /* budget of that run */
	const struct profile *profile; /* of the configuration; NULL: none was made */
};

/* Reads all best configurations into the page. */
enum asc_status page_best_read(struct page *p, struct asc_err *e);

/* Finds the best configuration that comes from this run; NULL: none. */
const struct page_best *page_best_of_run(const struct page *p, int64_t run_id);

/* Rank of doubt: 2 for no usable result, 1 for one undecided or not compared for want of time, else
 * 0. */
int page_best_doubt(const struct page_best *b);

/* Writes the part of what is attainable, "63 %", with its note; nothing where it is not known. */
void page_best_write_part(const struct page_best *b, struct buf *out);

/* Writes what limits a launch, "memory 94 %", with the sentence in a tooltip; nothing where no
 * profile was made. */
void page_best_write_limit(const struct page_best *b, struct buf *out);

/* Writes how sure it is, in the words of `asctune best`. */
void page_best_write_sure(const struct page_best *b, struct buf *out);

/* Counts of the answers by what they say. */
struct page_best_counts {
	size_t unusable, unfinished; /* unfinished: of a run that did not end */
	size_t undecided, not_compared;
	size_t faster, no_faster, alone; /* than its default; alone: without one */
};
struct page_best_counts page_best_count(const struct page *p);

#endif
