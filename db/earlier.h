/* Earlier results of a kernel, measured and imported: what a search begins with. Strings are
 * borrowed during a visit. */
#ifndef ASCTUNE_DB_EARLIER_H
#define ASCTUNE_DB_EARLIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;

enum { DB_EARLIER_MOST = 1024 /* results of a source */ };

struct db_kernel { /* borrowed */
	const char *workload, *operator_name, *implementation;
};

/* Results of one content of a kernel (source, toolchain, call) for one device, problem and cache
 * policy. */
struct db_earlier_source {
	int64_t run_id, implementation_id;                           /* run: the newest */
	bool simulated;                                              /* imported */
	const char *workload, *problem, *device_kind, *device_model; /* model: NULL: unknown */
	const char *dims_json;    /* {"dims":{...},"dtypes":{...}}; NULL: unknown */
	const char *cache_policy; /* NULL: unknown */
};

typedef enum asc_status db_earlier_source_fn(void *user, const struct db_earlier_source *s,
					     struct asc_err *e);

/* Visits the sources of a kernel but those on stand-ins of devices, the newest first, 1024 at most:
 * of implementations of that name in workloads of that name or operator; and of imports of these
 * workloads that name no implementation. Not to be nested. */
enum asc_status db_each_earlier_source(struct db *d, const struct db_kernel *k,
				       db_earlier_source_fn *visit, void *user, struct asc_err *e);

/* Visits configurations of a source, named by its run and implementation, that passed when they
 * were tried last, with their median times: the fastest first; where there are more than
 * DB_EARLIER_MOST, the fastest quarter of that number and a sample of the others that is always the
 * same. Looks at the newest 16 runs of a source, and at 16,384 trials. Not to be nested. */
typedef enum asc_status db_earlier_result_fn(void *user, const char *config_json, double median_ns,
					     struct asc_err *e);
enum asc_status db_each_earlier_result(struct db *d, int64_t run_id, int64_t implementation_id,
				       db_earlier_result_fn *visit, void *user, struct asc_err *e);

struct db_contenders { /* borrowed */
	const char *workload, *problem, *device_kind, *device_model, *cache_policy;
};

/* Visits configurations that may be the answer of a problem, whatever run or machine has tried
 * them: those that won or tied in finals, the fastest of each implementation, then the fastest, at
 * most `most`. Not to be nested. */
typedef enum asc_status db_contender_fn(void *user, const char *implementation,
					const char *config_key, struct asc_err *e);
enum asc_status db_each_contender(struct db *d, const struct db_contenders *of, size_t most,
				  db_contender_fn *visit, void *user, struct asc_err *e);

/* Visits the rows of a library's table that were imported from a file of that name, in its order:
 * the row's key and its configuration, by the library's names. `key`: the row of that key, where
 * each has a file of its own; NULL: all. Not to be nested. */
typedef enum asc_status db_table_row_fn(void *user, const char *key, const char *config_json,
					struct asc_err *e);
enum asc_status db_each_table_row(struct db *d, const char *reader, const char *file,
				  const char *key, db_table_row_fn *visit, void *user,
				  struct asc_err *e);

#endif
