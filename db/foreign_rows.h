/* Rows of tables in another program's SQLite file, such as FlagGems' cache of configurations,
 * between the bytes of the file and a text in JSON:
 *
 *     [{"table": NAME, "key": [VALUE, ...], "values": {NAME: VALUE, ...}}, ...]
 *
 * The tables have columns key_0, key_1, ..., which together are the primary key, and others; all
 * else of the file is passed over. */
#ifndef ASCTUNE_DB_FOREIGN_ROWS_H
#define ASCTUNE_DB_FOREIGN_ROWS_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct buf;
struct json_node;

/* True for the bytes of a file of SQLite. */
bool foreign_rows_is_file(const struct buf *bytes);

/* Appends the text of all rows, table by table in the order in which they were made. ASC_INPUT for
 * bytes that SQLite cannot read. */
enum asc_status foreign_rows_read(const char *path, const struct buf *file, struct buf *out,
				  struct asc_err *e);

/* Appends the bytes of a file that has the rows: a new one, or `there` with the rows in the place
 * of its own; its other tables stay. ASC_INPUT for a row that its table has no columns for. */
enum asc_status foreign_rows_write(const struct json_node *rows, const struct buf *there,
				   struct buf *out, struct asc_err *e);

#endif
