/* Earlier results of the database as the history of a search: results of the same implementation
 * with the same parameters, on other problems, devices and versions.
 *
 * A source is a problem on a model of a device. The four that are most alike to what is tuned
 * count, of each the newest version of the kernel and toolchain that has five results. Times are
 * compared within a source only. The caller owns the storage: search_history_find(),
 * search_history_fini(). */
#ifndef ASCTUNE_TUNE_SEARCH_HISTORY_H
#define ASCTUNE_TUNE_SEARCH_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/tune/search/strategy.h"

struct buf;
struct db;
struct impl_searches;
struct implementation;
struct loop_options;
struct space;

struct search_history {
	struct strategy_known *list; /* results in the space, source by source */
	size_t n;
	struct search_history_source {
		char *name; /* "WORKLOAD/PROBLEM on KIND: MODEL", heap; `source` of its results */
		size_t n;   /* number of its results */
		int64_t run_id, implementation_id; /* as in struct db_earlier_source */
	} sources[STRATEGY_HISTORY_SOURCES];
	size_t n_sources;
};

/* Finds the history of an implementation of the options' workload; results whose values the space
 * does not have are left out. *out is initialised, whatever comes of it. */
enum asc_status search_history_find(struct search_history *out, const struct loop_options *o,
				    const struct implementation *i, const struct space *space,
				    struct db *db, struct asc_err *e);
void search_history_fini(struct search_history *h);

/* Appends the results that the searches begin with; nothing if there are none. A source that
 * several searches begin with (an import that names no implementation) is counted once. In words:
 * `312 results: w/small on cpu: M (200), w/large on cpu: M (112)`; as JSON, {"results", "sources":
 * [{"implementation", "source", "results"}, ...]}. */
void search_history_print(const struct impl_searches *a, struct buf *out);
void search_history_write_json(const struct impl_searches *a, struct buf *out);

#endif
