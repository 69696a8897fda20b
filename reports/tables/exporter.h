/* Exporters: each writes results, or the spaces that they are of, in the format of one consumer. */
#ifndef ASCTUNE_TABLES_EXPORTER_H
#define ASCTUNE_TABLES_EXPORTER_H

#include <stdbool.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/readers/reader.h"
#include "reports/tables/sink.h"
#include "tuner/base/err.h"

struct buf;
struct db;
struct facts;
struct limits;
struct workload;

enum export_needs {
	EXPORT_BEST,     /* the best of each problem in a database */
	EXPORT_DISPATCH, /* the best of each problem and implementation in a database */
	EXPORT_TRIALS,   /* the trials of a database */
	EXPORT_SPACES    /* the spaces of a workload on a device */
};

/* Content of a reader's table where an answer was not measured beside what the library takes
 * without the table (reader_set.h). */
enum export_proof { EXPORT_PROVED, EXPORT_UNPROVED, EXPORT_ASKING };

/* Results or spaces to export; borrowed during the call. */
struct export_request {
	struct dispatch *table;      /* BEST, DISPATCH: its rows; the exporter makes rules */
	struct dispatch_terms terms; /* DISPATCH: for rules, but for the library */
	const char *database;        /* DISPATCH: its path */
	const struct export_setting *settings; /* values of own options */
	size_t n_settings;
	reader_ask_fn *ask;              /* DISPATCH: of readers that have to be asked */
	struct db *db;                   /* TRIALS */
	bool simulated;                  /* the simulated results and no measured ones */
	enum export_proof proof;         /* of tables of readers */
	const struct workload *workload; /* SPACES: this and all that follow */
	const char *device;              /* class of the device */
	const char *device_model;
	const struct facts *facts;
	const struct limits *limits;          /* limits of the device; NULL: unknown */
	const char *problem, *implementation; /* only this one; NULL: all */
};

struct export_setting {
	const char *name, *value;
};

struct export_option { /* an option of one exporter: --set NAME=VALUE */
	const char *name, *meaning;
};

struct exporter_ops {
	const char *name;
	const char *summary;
	enum export_needs needs;
	bool simulated;                      /* simulated results may be asked for */
	const struct export_option *options; /* its own, ended by a NULL name; NULL: none */
	struct sink_kind kind;               /* of its files */
	/* Adds its files to the sink; ASC_NOTFOUND when there is nothing to write. */
	enum asc_status (*write)(const struct exporter_ops *self, const struct export_request *r,
				 struct sink *to, struct asc_err *e);
	/* Appends a line for each row that write() would write, and for each result that it would
	 * leave out, with the reasons; NULL: it has no rows to explain. */
	enum asc_status (*explain)(const struct exporter_ops *self, const struct export_request *r,
				   struct buf *out, struct asc_err *e);
};

/* Entries of exporter_list (exchange/exporter_list), each defined in a file of its own. */
extern const struct exporter_ops best_json_exporter, csv_exporter, t1_exporter, t4_exporter,
	infiniops_exporter, c_header_exporter, trace_exporter, vllm_exporter, sglang_exporter,
	fla_exporter, ninetoothed_exporter, triton_exporter, flaggems_exporter;

/* Text of c_header.h.in: `@` stands for the prefix, a line `$NAME` for a list. */
extern const char c_header_template[];

/* Sets ASC_NOTFOUND: the database holds no results of the kind that is asked for. */
enum asc_status exporter_fail_empty(const struct export_request *r, struct asc_err *e);

const char *exporter_needs_name(enum export_needs needs); /* "the spaces of a workload" */

/* NULL: the exporter has no option of that name. */
const struct export_option *exporter_find_option(const struct exporter_ops *x, const char *name);

/* Says which rows are left out; ASC_NOTFOUND where none was `made` into a rule or a row. */
enum asc_status exporter_say_left_out(const struct export_request *r, size_t made,
				      struct asc_err *e);

/* Makes the rules of the request's table, where it has none yet, and says which rows are left out;
 * ASC_NOTFOUND when no rule is left. */
enum asc_status exporter_add_rules(const struct export_request *r,
				   const struct dispatch_terms *terms, struct asc_err *e);

/* The value that the request has for an option; NULL: none. */
const char *exporter_find_setting(const struct export_request *r, const char *name);

#endif
