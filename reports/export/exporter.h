/* Exporters: each writes results, or the spaces that they are of, in the format of one consumer. */
#ifndef ASCTUNE_REPORTS_EXPORT_EXPORTER_H
#define ASCTUNE_REPORTS_EXPORT_EXPORTER_H

#include <stdbool.h>

#include "reports/export/sink.h"
#include "tuner/base/err.h"

struct db;
struct dispatch;
struct facts;
struct limits;
struct workload;

enum export_needs {
	EXPORT_DISPATCH, /* the best of each problem and implementation in a database */
	EXPORT_TRIALS,   /* the trials of a database */
	EXPORT_SPACES    /* the spaces of a workload on a device */
};

/* What is exported; borrowed during the call. */
struct export_request {
	struct dispatch *table;          /* DISPATCH: its rows; the exporter makes the rules */
	struct db *db;                   /* TRIALS */
	bool simulated;                  /* the simulated results and no measured ones */
	const struct workload *workload; /* SPACES: this and all that follow */
	const char *device;              /* class of the device */
	const char *device_model;
	const struct facts *facts;
	const struct limits *limits;          /* limits of the device; NULL: unknown */
	const char *problem, *implementation; /* only this one; NULL: all */
};

struct exporter_ops {
	const char *name;
	const char *summary;
	enum export_needs needs;
	struct sink_kind kind; /* of its files */
	/* Adds its files to the sink; ASC_NOTFOUND when there is nothing to write. */
	enum asc_status (*write)(const struct exporter_ops *self, const struct export_request *r,
				 struct sink *to, struct asc_err *e);
};

/* Entries of exporter_list, each defined in a file of its own. */
extern const struct exporter_ops best_json_exporter, csv_exporter, t1_exporter, t4_exporter;
extern const struct exporter_ops *const exporter_list[];
const struct exporter_ops *exporter_find(const char *name);

/* Sets ASC_NOTFOUND: the database holds no results of the kind that is asked for. */
enum asc_status exporter_fail_empty(const struct export_request *r, struct asc_err *e);

#endif
