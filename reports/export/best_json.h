/* The exporter `json`: every best configuration with its evidence, in one file for programs. */
#ifndef ASCTUNE_REPORTS_EXPORT_BEST_JSON_H
#define ASCTUNE_REPORTS_EXPORT_BEST_JSON_H

#include "tuner/base/err.h"

struct db_best;
struct exporter_ops;
struct json_writer;

extern const struct exporter_ops best_json_exporter;

/* One configuration as an object: the members that db_best_fields names; what is not known is null.
 */
enum asc_status best_json_write(struct json_writer *w, const struct db_best *row,
				struct asc_err *e);

#endif
