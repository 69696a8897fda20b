/* What `asctune space` says about rewrites: how many configurations each of them adds. */
#ifndef ASCTUNE_CMD_SPACE_REWRITES_H
#define ASCTUNE_CMD_SPACE_REWRITES_H

#include "tuner/base/err.h"

struct binding;
struct buf;
struct implementation;
struct json_writer;
struct space;

/* Appends a line for each rewrite that adds some to `s`, the space of `i`; as JSON the member
 * `added`. */
enum asc_status space_rewrites_print(const struct binding *b, const struct implementation *i,
				     const struct space *s, struct buf *out, struct asc_err *e);
enum asc_status space_rewrites_write(const struct binding *b, const struct implementation *i,
				     const struct space *s, struct json_writer *w,
				     struct asc_err *e);

#endif
