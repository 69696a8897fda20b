/* A series of numbers from a file: one number a line, or one column of a table whose columns are
 * separated by commas, semicolons or tabs and may be in double quotes. */
#ifndef ASCTUNE_TRACK_SERIES_CSV_H
#define ASCTUNE_TRACK_SERIES_CSV_H

#include <stddef.h>

#include "tuner/base/err.h"

/* `path` may be a pipe; "-" is standard input. The column is `column`, a name of the header or a
 * number from 1, else the one called `value`, else the only one: which of several is meant is not
 * guessed. A first line of names is the header. Empty lines and lines that start with '#' are
 * skipped, and so are cells without a value, whose number is *empty. Errors name file, line and
 * what was expected: ASC_INPUT for what is not a finite number, for a line without that column and
 * where the column is not clear; ASC_ABSENT for a file without values. *values is the caller's to
 * free(). */
enum asc_status series_csv_read(const char *path, const char *column, double **values, size_t *n,
				size_t *empty, struct asc_err *e);

#endif
