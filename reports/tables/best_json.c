#include "reports/tables/best_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "reports/tables/dispatch.h"
#include "reports/tables/exporter.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"

/* ---- one configuration ---- */

/* Writes null for what cannot be read, which a damaged or merged database may hold, and says so. */
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
	case DB_FIELD_AMOUNT: /* 0 stands for an unknown amount in a row, null in a file */
		real = *(const double *)member;
		json_write_real(w, f->name, real == 0 ? NAN : real);
		break;
	}
	return ASC_OK;
}

static enum asc_status leave_out(struct json_writer *w, const char *name, int64_t trial_id,
				 struct asc_err *e)
{
	if (e->status == ASC_NOMEM)
		return e->status;
	/* One damaged member costs itself, not the export. */
	log_print(LOG_WARN, "trial %" PRId64 ": left out: %s", trial_id, e->text);
	json_write_string(w, name, NULL);
	return ASC_OK;
}

static bool is_of_subject(const char *name)
{
	static const char *const names[] = {"workload",       "operator",           "problem",
					    "problem_values", "device_kind",        "device_model",
					    "device_arch",    "device_fingerprint", "device_driver",
					    "cache_policy"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static enum asc_status write_members(struct json_writer *w, const struct best_row *row,
				     bool subject_alone, struct asc_err *e)
{
	for (const struct db_field *f = best_fields; f->name; f++)
		if ((!subject_alone || is_of_subject(f->name)) && field_json_write(w, f, row, e) &&
		    leave_out(w, f->name, row->trial_id, e))
			return e->status;
	return ASC_OK;
}

enum asc_status best_json_write_members(struct json_writer *w, const struct best_row *row,
					struct asc_err *e)
{
	return write_members(w, row, false, e);
}

enum asc_status best_json_write_subject(struct json_writer *w, const struct best_row *row,
					struct asc_err *e)
{
	return write_members(w, row, true, e);
}

/* ---- the file ---- */

/* Writes the names by which programs in Python ask for a kernel, if its workload has them. */
static enum asc_status write_names(struct json_writer *w, const struct best_row *row,
				   struct asc_err *e)
{
	struct json_doc *doc = NULL;

	if (!row->export_json)
		return ASC_OK;
	if (json_open_text("export", row->export_json, strlen(row->export_json), &doc, e))
		return leave_out(w, "export", row->trial_id, e);
	const struct json_node *names = json_find(json_root(doc), "triton");

	if (names) {
		json_write_begin(w, "export", '{');
		json_write_node(w, "triton", names);
		json_write_end(w, '}');
	}
	json_close(doc);
	return ASC_OK;
}

/* Writes one line for each configuration, so that two exports can be compared line by line. */
static enum asc_status write_table(const struct dispatch *t, struct buf *out, struct asc_err *e)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "format", "asctune-best");
	json_write_int(&w, "version", 1);
	json_write_begin(&w, "configurations", '[');
	for (size_t i = 0; i < t->n_rows; i++) {
		buf_add_char(out, '\n');
		json_write_begin(&w, NULL, '{');
		if (best_json_write_members(&w, &t->rows[i].result, e) ||
		    write_names(&w, &t->rows[i].result, e))
			return e->status;
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	buf_add_char(out, '\n');
	if (t->n_rows == 0)
		return asc_err_set(e, ASC_NOTFOUND,
				   "nothing to export: the database holds no measured "
				   "configuration that passed");
	return buf_check(out, e);
}

static enum asc_status export_best(const struct exporter_ops *self, const struct export_request *r,
				   struct sink *to, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = write_table(r->table, &text, e);

	if (status == ASC_OK)
		status = sink_add(to, &self->kind, "best.json", &text, e);
	buf_fini(&text);
	return status;
}

const struct exporter_ops best_json_exporter = {
	.name = "json",
	.summary = "best.json: every best configuration with its evidence, for programs",
	.needs = EXPORT_BEST,
	.kind = {.begins = "{\"format\":\"asctune-best\""},
	.write = export_best,
};
