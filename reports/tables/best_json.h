/* The exporter `json`: every best configuration with its evidence, in one file for programs. */
#ifndef ASCTUNE_TABLES_BEST_JSON_H
#define ASCTUNE_TABLES_BEST_JSON_H

#include "tuner/base/err.h"

struct db_field;
struct best_row;
struct json_writer;

/* Writes the members of one configuration that best_fields names into an open object; unknown
 * ones are null. */
enum asc_status best_json_write_members(struct json_writer *w, const struct best_row *row,
					struct asc_err *e);

/* Writes those of them that say what it is an answer for: workload, problem, device, caches. */
enum asc_status best_json_write_subject(struct json_writer *w, const struct best_row *row,
					struct asc_err *e);

/* Writes the member of `row` that the field names; null when unknown. */
enum asc_status field_json_write(struct json_writer *w, const struct db_field *f, const void *row,
				 struct asc_err *e);

/* Writes a JSON text as the value of `key`; NULL is null. */
enum asc_status field_json_write_text(struct json_writer *w, const char *key, const char *text,
				      struct asc_err *e);

#endif
