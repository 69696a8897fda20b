/* Implementations of a library that cannot be called, beside the answers of those that can: as the
 * run recorded them, whose file may be elsewhere.
 *
 * The caller owns the storage: `struct unsupported u = {0}`, unsupported_add() for each row, then
 * unsupported_print(), unsupported_fini(). */
#ifndef ASCTUNE_CMD_ANSWERS_UNSUPPORTED_H
#define ASCTUNE_CMD_ANSWERS_UNSUPPORTED_H

#include "tuner/base/buf.h"

struct best_row;
struct json_writer;

struct unsupported {
	struct buf lines; /* one for each workload and class of device */
};

/* Adds those of the row's workload on the row's class of device, once. */
enum asc_status unsupported_add(struct unsupported *u, const struct best_row *row,
				struct asc_err *e);

/* Prints "WORKLOAD on DEVICE: unsupported: atb (index 1): C++ ABI" to stdout, a line for each. */
void unsupported_print(const struct unsupported *u);
void unsupported_fini(struct unsupported *u);

/* Writes the same of one row as a member "unsupported": a list of objects with name, index and
 * reason; nothing where there are none. */
enum asc_status unsupported_write(const struct best_row *row, struct json_writer *w,
				  struct asc_err *e);

#endif
