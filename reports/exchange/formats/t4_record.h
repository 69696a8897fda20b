/* One result of a T4 document, and what entries of a cache file share with it. Private to its
 * folder. */
#ifndef ASCTUNE_EXCHANGE_FORMATS_T4_RECORD_H
#define ASCTUNE_EXCHANGE_FORMATS_T4_RECORD_H

#include <stdbool.h>
#include <stddef.h>
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

/* Reads the entry `n` of a cache file likewise. */
enum asc_status t4_cache_entry_read(const struct json_node *n, struct t4_record *out,
				    struct asc_err *e);

/* ---- parts of a record, by the keys of either format ---- */

enum t4_layout { T4_RECORD, T4_CACHE_ENTRY };

/* Reads a time of 0 or more. */
enum asc_status t4_read_ns(const struct json_node *n, double unit_ns, double *ns,
			   struct asc_err *e);

/* Reads the times of the phases and the samples among the members of the object `n`, and adds up
 * spent_ns. */
enum asc_status t4_read_spent(const struct json_node *n, enum t4_layout layout, double unit_ns,
			      struct t4_record *out, struct asc_err *e);

/* Adds the name of a parameter, which stands at `n`. */
enum asc_status t4_add_name(const struct json_node *n, const char *name, const char **names,
			    size_t *n_names, struct asc_err *e);

/* Reads the values of the parameters among the members of the object `n`. */
enum asc_status t4_read_config(const struct json_node *n, struct t4_record *out, struct asc_err *e);

/* Reads a moment to t4_record.recorded_ms. */
enum asc_status t4_read_timestamp(const struct json_node *n, struct t4_record *out,
				  struct asc_err *e);

/* Summarises the samples. The time, where the file states one (not below 0), stands for them. */
enum asc_status t4_settle_time(const struct json_node *n, double stated_ns, struct t4_record *out,
			       struct asc_err *e);

#endif
