#include "reports/export/best_json.h"

#include <inttypes.h>

#include "db/db.h"
#include "reports/export/export_file.h"
#include "reports/export/exporter.h"
#include "reports/export/field_json.h"
#include "tuner/base/buf.h"
#include "tuner/base/json.h"

/* ---- one configuration ---- */

enum asc_status best_json_write(struct json_writer *w, const struct db_best *row, struct asc_err *e)
{
	json_write_begin(w, NULL, '{');
	for (const struct db_field *f = db_best_fields; f->name; f++)
		if (field_json_write(w, f, row, e))
			return asc_err_wrap(e, "trial %" PRId64, row->trial_id);
	json_write_end(w, '}');
	return ASC_OK;
}

/* ---- the file ---- */

struct table {
	struct json_writer w;
	int64_t rows;
};

/* One line a configuration, so that two exports can be compared line by line. */
static enum asc_status add_row(void *user, const struct db_best *row, struct asc_err *e)
{
	struct table *t = user;

	buf_add_char(t->w.out, '\n');
	t->rows++;
	return best_json_write(&t->w, row, e);
}

static enum asc_status write_table(struct db *d, struct buf *out, struct asc_err *e)
{
	struct table t = {{out, false}, 0};

	json_write_begin(&t.w, NULL, '{');
	json_write_string(&t.w, "format", "asctune-best");
	json_write_int(&t.w, "version", 1);
	json_write_begin(&t.w, "configurations", '[');
	if (db_each_best(d, NULL, add_row, &t, e))
		return e->status;
	json_write_end(&t.w, ']');
	json_write_end(&t.w, '}');
	buf_add_char(out, '\n');
	if (!t.rows)
		return asc_err_set(e, ASC_NOTFOUND,
				   "nothing to export: the database holds no measured "
				   "configuration that passed");
	return buf_check(out, e);
}

static enum asc_status export_best(const struct export_request *r, int *files, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = write_table(r->db, &text, e);

	if (status == ASC_OK)
		status = export_file_write(r, "best.json", &text, files, e);
	buf_fini(&text);
	return status;
}

const struct exporter_ops best_json_exporter = {
	.version = EXPORTER_OPS_VERSION,
	.name = "json",
	.summary = "best.json: every best configuration with its evidence, for programs",
	.source = EXPORT_MEASURED,
	.write = export_best,
};
