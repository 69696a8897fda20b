/* Exporters: each writes results, or the spaces that they are of, in the format of one consumer. */
#ifndef ASCTUNE_REPORTS_EXPORT_EXPORTER_H
#define ASCTUNE_REPORTS_EXPORT_EXPORTER_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct buf;
struct db;
struct facts;
struct limits;
struct workload;

enum export_source {
	EXPORT_MEASURED, /* the measured results of a database */
	EXPORT_RESULTS,  /* the measured results or, when asked for, the simulated ones */
	EXPORT_WORKLOAD  /* the spaces of a workload on a device */
};

/* A request: results or spaces, and the place for the files; borrowed during the call. */
struct export_request {
	const char *folder;              /* folder; made when needed */
	struct buf *text;                /* destination of a single file's text instead; or NULL */
	struct db *db;                   /* MEASURED, RESULTS */
	bool simulated;                  /* RESULTS: the simulated results and no measured ones */
	const struct workload *workload; /* WORKLOAD: this and all that follow */
	const char *device;              /* class of the device */
	const char *device_model;
	const struct facts *facts;
	const struct limits *limits;          /* limits of the device; NULL: unknown */
	const char *problem, *implementation; /* only this one; NULL: all */
};

struct exporter_ops {
	const char *name;
	const char *summary;
	enum export_source source;
	/* Writes files and counts them in *files; ASC_NOTFOUND when there is nothing to write. */
	enum asc_status (*write)(const struct export_request *r, int *files, struct asc_err *e);
};

/* Entries of exporter_list, each defined in a file of its own. */
extern const struct exporter_ops best_json_exporter, csv_exporter, t1_exporter, t4_exporter;
extern const struct exporter_ops *const exporter_list[];
const struct exporter_ops *exporter_find(const char *name);

#endif
