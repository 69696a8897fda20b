/* One result of a T4 document. Private to its folder. */
#ifndef ASCTUNE_FORMATS_T4_RECORD_H
#define ASCTUNE_FORMATS_T4_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct json_node;
struct t4_record;

#define T4_NS_PER_MS 1e6

/* Parses a unit, "ms", "milliseconds", ...; false: unknown. */
bool t4_unit_find(const char *name, double *unit_ns);

/* Parses "2026-01-05T10:00:00.25+00:00", with or without fraction and zone (default UTC), to
 * milliseconds since 1970. */
bool t4_moment_parse(const char *text, int64_t *ms);

/* Reads the record `n` into `out`, whose names, config.n and empty result are set. `own` is the
 * status that asctune adds, or NULL. */
enum asc_status t4_record_read(const struct json_node *n, const struct json_node *own,
			       double unit_ns, struct t4_record *out, struct asc_err *e);

#endif
