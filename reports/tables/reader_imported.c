#include "reports/tables/reader_imported.h"

#include <string.h>

#include "db/db.h"
#include "db/earlier.h"
#include "reports/tables/readers/reader.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
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

/* ---- a problem as a library asks for it ---- */

struct asked {
	const struct reader_ops *reader;
	struct library_names names;
	struct rule_size sizes[RULE_MAX_SIZES];
	bool truths[RULE_MAX_SIZES];
	struct asctune_type types[RULE_MAX_TYPES];
	struct reader_problem problem;
};

/* Adds the size that the library calls `name`: the problem's dimension `own`. */
static void ask_size(struct asked *a, const struct problem *p, const char *name, const char *own)
{
	for (size_t i = 0; i < p->n_dims && a->problem.n_sizes < RULE_MAX_SIZES; i++) {
		const struct value v = p->dims[i].value;

		if (!str_is_same(p->dims[i].name, own) ||
		    (v.kind != VALUE_INT && v.kind != VALUE_BOOL))
			continue;
		a->truths[a->problem.n_sizes] = v.kind == VALUE_BOOL;
		a->sizes[a->problem.n_sizes++] = (struct rule_size){name, v.i, v.i};
	}
}

/* Adds the type that the library calls `name`: that of the problem's variable `own`, else `own`
 * itself. */
static void ask_type(struct asked *a, const struct problem *p, const char *name, const char *own)
{
	const char *type = own;

	for (size_t i = 0; i < p->n_dtypes; i++)
		if (str_is_same(p->dtypes[i].name, own))
			type = dtype_name(p->dtypes[i].dtype);
	if (type && a->problem.n_types < RULE_MAX_TYPES)
		a->types[a->problem.n_types++] = (struct asctune_type){name, type};
}

/* Asks by the names of the workload's "export", or by the workload's own. */
static void ask(struct asked *a, const struct problem *p, const char *device)
{
	const struct json_node *sizes = a->names.sizes, *types = a->names.types;

	a->problem = (struct reader_problem){.kernel = a->names.op,
					     .device = device,
					     .sizes = a->sizes,
					     .truths = a->truths,
					     .types = a->types};
	for (const struct json_node *n = sizes ? json_first(sizes) : NULL; n; n = json_next(n))
		ask_size(a, p, json_key(n), library_names_own(sizes, json_key(n)));
	for (size_t i = 0; i < p->n_dims && !sizes; i++)
		ask_size(a, p, p->dims[i].name, p->dims[i].name);
	for (const struct json_node *n = types ? json_first(types) : NULL; n; n = json_next(n))
		ask_type(a, p, json_key(n), library_names_own(types, json_key(n)));
	for (size_t i = 0; i < p->n_dtypes && !types; i++)
		ask_type(a, p, p->dtypes[i].name, p->dtypes[i].name);
}

/* ---- the row that serves it ---- */

/* Visits a row's configuration for one implementation. */
static enum asc_status visit_config(const struct asked *a, const struct reader_config *c,
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
static enum asc_status visit_row(struct db *d, const struct asked *a, const struct workload *w,
				 reader_known_fn *visit, void *user, struct asc_err *e)
{
	struct reader_table table = {0};
	struct buf file = {0}, key = {0};
	struct asc_err unasked;

	/* An import does not keep the folder, which alone depends on Triton's version. */
	if (a->reader->guess)
		(void)a->reader->guess(&a->problem, &file, &key, &unasked);
	else if (reader_check_problem(a->reader, &a->problem, &unasked) == ASC_OK &&
		 a->reader->name_file(&a->problem, "0", &file, &unasked) == ASC_OK)
		(void)a->reader->print_key(a->reader, &a->problem, &key, &unasked);
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
		struct asked a = {0};

		status = library_names_read(n, &a.names, e);
		if (status)
			break;
		a.reader = reader_find_operator(json_key(n), a.names.op);
		/* An answer of a library that has to be asked costs seconds. */
		if (!a.reader || (a.reader->asks && !a.reader->guess) ||
		    (!d && (!file_exists(path) || db_open(path, DB_READ, &d, &unread))))
			continue;
		ask(&a, p, device);
		status = visit_row(d, &a, w, visit, user, e);
	}
	db_close(d);
	return status;
}
