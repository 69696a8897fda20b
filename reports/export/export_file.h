/* The files of exporters: complete or absent, under names that are safe whatever a workload is
 * called. */
#ifndef ASCTUNE_REPORTS_EXPORT_EXPORT_FILE_H
#define ASCTUNE_REPORTS_EXPORT_EXPORT_FILE_H

#include "tuner/base/err.h"

struct buf;
struct export_request;

/* Adds one more part to a file's name: letters, digits, '.', '_' and '-' as they are, anything else
 * as '_'; cut where it is long, so different texts may give the same. NULL adds nothing. */
void export_file_add_name(struct buf *name, const char *part);

/* Writes `text` as the file `name` in the request's folder and counts it in *files. */
enum asc_status export_file_write(const struct export_request *r, const char *name,
				  const struct buf *text, int *files, struct asc_err *e);

/* Sets ASC_NOTFOUND: the database holds no results of the kind that is asked for. */
enum asc_status export_fail_empty(const struct export_request *r, struct asc_err *e);

#endif
