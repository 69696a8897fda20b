/* An exporter: writes results, or the space that they are of, in the form that one consumer reads.
 */
#ifndef ASCTUNE_REPORTS_EXPORT_EXPORTER_H
#define ASCTUNE_REPORTS_EXPORT_EXPORTER_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct buf;
struct db;
struct facts;
struct limits;
struct workload;

enum { EXPORTER_OPS_VERSION = 2 };

enum export_source {
	EXPORT_MEASURED, /* a database's measured results */
	EXPORT_RESULTS,  /* either those or, when asked for, the simulated ones */
	EXPORT_WORKLOAD  /* a workload's spaces on a device */
};

/* What to export and to where; borrowed during the call. */
struct export_request {
	const char *folder;              /* made when needed */
	struct buf *text;                /* the only file's text goes there instead; or NULL */
	struct db *db;                   /* MEASURED, RESULTS */
	bool simulated;                  /* RESULTS: those, and none that were measured */
	const struct workload *workload; /* WORKLOAD; this and the rest */
	const char *device;              /* its class */
	const char *device_model;
	const struct facts *facts;
	const struct limits *limits;          /* NULL: none are known */
	const char *problem, *implementation; /* only this one; NULL: all */
};

struct exporter_ops {
	int version;
	const char *name;
	const char *summary;
	enum export_source source;
	/* *files counts what was written; ASC_NOTFOUND when there is nothing to write. */
	enum asc_status (*write)(const struct export_request *r, int *files, struct asc_err *e);
};

extern const struct exporter_ops *const exporter_list[];
const struct exporter_ops *exporter_find(const char *name);

#endif
