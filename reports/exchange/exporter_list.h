/* The list of all exporters. */
#ifndef ASCTUNE_EXCHANGE_EXPORTER_LIST_H
#define ASCTUNE_EXCHANGE_EXPORTER_LIST_H

#include <stdint.h>

#include "reports/tables/exporter.h"

struct buf;

extern const struct exporter_ops *const exporter_list[];
const struct exporter_ops *exporter_find(const char *name);

/* Appends what `csv` writes: a header of the names of db_record_fields and a row for each trial,
 * simulated or not; counts the rows in *rows.
 *
 * Spreadsheets take a cell of text that begins with = + - @ (or their wide forms), a tab or the end
 * of a line for a formula, and run it: such a cell gets an apostrophe in front, which they leave
 * out. So text that began like that does not read back as it was; all other text does. */
enum asc_status csv_print(struct db *d, bool simulated, struct buf *out, int64_t *rows,
			  struct asc_err *e);

#endif
