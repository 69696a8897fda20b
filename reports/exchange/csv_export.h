/* The exporter `csv`: one line for each trial, by RFC 4180, for spreadsheets and scripts. */
#ifndef ASCTUNE_EXCHANGE_CSV_EXPORT_H
#define ASCTUNE_EXCHANGE_CSV_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct buf;
struct db;

/* Appends a header of the names of db_record_fields and a row for each trial, simulated or not;
 * counts them in *rows.
 *
 * Spreadsheets take a cell of text that begins with = + - @ (or their wide forms), a tab or the end
 * of a line for a formula, and run it: such a cell is given an apostrophe before, which they leave
 * out. So text that began like that does not read back as it was; all other text does. */
enum asc_status csv_print(struct db *d, bool simulated, struct buf *out, int64_t *rows,
			  struct asc_err *e);

#endif
