#include "reports/tables/reader_imported.h"

#include <string.h>

#include "db/db.h"
#include "db/earlier.h"
#include "reports/tables/reader_asked.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/workload.h"

/* ---- one file ---- */

/* Adds a row as it was recorded, under the key that its reader gave it. */
static enum asc_status add_row(void *user, const char *key, const char *config_json,
			       struct asc_err *e)
{
	struct reader_table *t = user;
	struct reader_config c = {0};
	struct json_doc *doc = NULL;
	enum asc_status status =
		json_open_text("config", config_json, strlen(config_json), &doc, e);

	for (const struct json_node *n = status == ASC_OK ? json_first(json_root(doc)) : NULL;
	     n && status == ASC_OK; n = json_next(n))
		status = reader_read_value(n, t, &c, e);
	if (status == ASC_OK)
		status = reader_table_add(t, strcmp(key, "default") == 0 ? NULL : key, &c, e);
	json_close(doc);
	return status;
}

enum asc_status reader_read_imported(struct db *d, const struct reader_ops *ops, const char *file,
				     const char *key, struct reader_table *out, struct asc_err *e)
{
	return db_each_table_row(d, ops->name, path_name(file), ops->one_key ? key : NULL, add_row,
				 out, e);
}

/* ---- the row that serves it ---- */

/* Visits a row's configuration for one implementation. */
static enum asc_status visit_config(const struct reader_asked *a, const struct reader_config *c,
				    const struct implementation *i, reader_known_fn *visit,
				    void *user, struct asc_err *e)
{
	char value[VALUE_TEXT_MAX + 1];
	struct buf text = {0};

	for (size_t n = 0; n < c->n; n++) {
		const char *own = library_names_own(a->names.parameters, c->list[n].name);

		for (size_t m = 0; m < i->n_parameters; m++)
			if (str_is_same(i->parameters[m].name, own)) {
				(void)value_print(c->list[n].value, value, sizeof value);
				buf_print(&text, "%s%s=%s", text.len > 0 ? "," : "", own, value);
			}
	}
	const enum asc_status status =
		text.failed ? asc_err_nomem(e) : visit(user, i, buf_str(&text), e);

	buf_fini(&text);
	return status;
}

/* Visits the row of the file for whose name the library asks. */
static enum asc_status visit_row(struct db *d, const struct reader_asked *a,
				 const struct workload *w, reader_known_fn *visit, void *user,
				 struct asc_err *e)
{
	struct reader_table table = {0};
	struct buf file = {0}, key = {0};
	struct asc_err unasked;

	(void)reader_asked_name(a, &file, &key, &unasked);
	enum asc_status status = file.failed || key.failed ? asc_err_nomem(e) : ASC_OK;

	if (status == ASC_OK && key.len > 0)
		status = reader_read_imported(d, a->reader, buf_str(&file), buf_str(&key), &table,
					      e);
	const size_t row = key.len > 0 ? a->reader->find(&table, buf_str(&key)) : READER_OWN;

	for (size_t i = 0; i < w->n_implementations && row != READER_OWN && status == ASC_OK; i++)
		status = visit_config(a, &table.rows[row].config, &w->implementations[i], visit,
				      user, e);
	reader_table_fini(&table);
	buf_fini(&file);
	buf_fini(&key);
	return status;
}

enum asc_status reader_each_known(const char *path, const struct workload *w,
				  const struct problem *p, const char *device,
				  reader_known_fn *visit, void *user, struct asc_err *e)
{
	struct db *d = NULL;
	struct asc_err unread;
	enum asc_status status = ASC_OK;

	for (const struct json_node *n = w->exports ? json_first(w->exports) : NULL;
	     n && status == ASC_OK; n = json_next(n)) {
		struct reader_asked a;

		status = reader_asked_open(&a, n, e);
		if (status)
			break;
		/* An answer of a library that has to be asked costs seconds. */
		if (!a.reader || (a.reader->asks && !a.reader->guess) ||
		    (!d && (!file_exists(path) || db_open(path, DB_READ, &d, &unread))))
			continue;
		reader_asked_set(&a, p, device);
		status = visit_row(d, &a, w, visit, user, e);
	}
	db_close(d);
	return status;
}
