/* Members of the database's rows as JSON, by the lists of db/. */
#ifndef ASCTUNE_REPORTS_EXPORT_FIELD_JSON_H
#define ASCTUNE_REPORTS_EXPORT_FIELD_JSON_H

#include "tuner/base/err.h"

struct db_field;
struct json_writer;

/* The member of `row` that the field names; what is not known is null. */
enum asc_status field_json_write(struct json_writer *w, const struct db_field *f, const void *row,
				 struct asc_err *e);

/* A JSON text as the value of `key`; NULL is null. */
enum asc_status field_json_write_text(struct json_writer *w, const char *key, const char *text,
				      struct asc_err *e);

#endif
