/* A series of numbers from a CSV file: one value a line, in the column `value`, else in the last.
 */
#ifndef ASCTUNE_TRACK_SERIES_CSV_H
#define ASCTUNE_TRACK_SERIES_CSV_H

#include <stddef.h>

#include "tuner/base/err.h"

/* A first line without a number in that column is the header; empty lines and lines that start with
 * '#' are skipped. Errors name file, line and value: ASC_INPUT for what is not a finite number and
 * for a line without that column, ASC_ABSENT for a file without values. *values is the caller's to
 * free(). */
enum asc_status series_csv_read(const char *path, double **values, size_t *n, struct asc_err *e);

#endif
