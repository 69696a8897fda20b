#include "reports/export/field_json.h"

#include <math.h>
#include <string.h>

#include "db/db.h"
#include "tuner/base/json.h"

enum asc_status field_json_write_text(struct json_writer *w, const char *key, const char *text,
				      struct asc_err *e)
{
	struct json_doc *doc = NULL;

	if (!text) {
		json_write_string(w, key, NULL);
		return ASC_OK;
	}
	if (json_open_text(key, text, strlen(text), &doc, e))
		return e->status;
	json_write_node(w, key, json_root(doc));
	json_close(doc);
	return ASC_OK;
}

enum asc_status field_json_write(struct json_writer *w, const struct db_field *f, const void *row,
				 struct asc_err *e)
{
	const void *member = (const char *)row + f->offset;
	double real;

	switch (f->kind) {
	case DB_FIELD_TEXT: json_write_string(w, f->name, *(const char *const *)member); break;
	case DB_FIELD_JSON:
		return field_json_write_text(w, f->name, *(const char *const *)member, e);
	case DB_FIELD_INT: json_write_int(w, f->name, *(const int64_t *)member); break;
	case DB_FIELD_REAL: json_write_real(w, f->name, *(const double *)member); break;
	case DB_FIELD_AMOUNT:
		real = *(const double *)member;
		json_write_real(w, f->name, real == 0 ? NAN : real);
		break;
	}
	return ASC_OK;
}
