/* FlagGems' cache of tuned configurations, as FlagGems 5.0.2 reads it (flag_gems/utils/libentry.py
 * and models/sql.py): a file of SQLite for each GPU and Triton, in it a table for each kernel and
 * number of keys, a row for each key. The table's name has digests of the kernel's text and of its
 * list of configurations, and FlagGems rounds keys: the user's own FlagGems tells both.
 *
 * A row's key here is ["TABLE", [KEY, ...]]; the text of write() is that of db/foreign_rows. */
#include <string.h>

#include "db/foreign_rows.h"
#include "reports/tables/readers/reader.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

static enum asc_status print_key(const struct reader_ops *self, const struct reader_problem *p,
				 struct buf *out, struct asc_err *e)
{
	const char *table;

	(void)self;
	if (reader_told_text(p, "table", &table, e))
		return e->status;
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '[');
	json_write_string(&w, NULL, table);
	buf_add_char(out, ',');
	if (reader_told_key(p, out, e))
		return e->status;
	json_write_end(&w, ']');
	return buf_check(out, e);
}

static size_t find(const struct reader_table *t, const char *key)
{
	const struct reader_row *row = reader_table_find(t, key);

	return row ? (size_t)(row - t->rows) : READER_OWN;
}

/* ---- limits ---- */

static bool find_value(const struct reader_config *c, const char *name, struct value *out)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->list[i].name, name) == 0) {
			*out = c->list[i].value;
			return true;
		}
	return false;
}

/* Adds options that are left out: FlagGems adds rows to the table later, which have each, so that a
 * column for each has to be there. */
static void complete(struct reader_config *c)
{
	struct value v;

	for (const struct reader_option *o = reader_options; o->name; o++)
		if (o->otherwise && !find_value(c, o->name, &v))
			(void)reader_add_parameter(c, o->name, value_int(o->otherwise));
}

/* True where a configuration of the kernel's own list is the same. */
static bool is_listed(const struct json_node *list, const struct reader_config *c)
{
	struct asc_err ignored;
	struct value own, theirs;
	bool same = false;

	for (const struct json_node *n = json_first(list); n && !same; n = json_next(n)) {
		same = true;
		for (const struct json_node *m = json_first(n); m && same; m = json_next(m))
			same = find_value(c, json_key(m), &own) &&
			       json_get_choice(m, &theirs, &ignored) == ASC_OK &&
			       value_equal(own, theirs);
	}
	return same;
}

/* Checks that FlagGems launches the configuration of a row. All rows of a table have the same
 * columns: the parameters of the kernel's own list. A hook that makes descriptors is in no row:
 * FlagGems finds it again by the same configuration in that list. */
static enum asc_status check(const struct reader_problem *p, const struct reader_config *c,
			     struct asc_err *e)
{
	const struct json_node *names = json_find(p->told, "names"),
			       *listed = json_find(p->told, "listed");
	struct value v;
	size_t known = 0;
	const char *name;

	for (const struct json_node *n = json_first(names); n; n = json_next(n), known++) {
		if (json_get_string(n, &name, e))
			return e->status;
		if (!find_value(c, name, &v))
			return asc_err_set(e, ASC_INPUT,
					   "it has no %s, which the kernel's own list has", name);
	}
	if (names && known < c->n)
		return asc_err_set(
			e, ASC_INPUT,
			"it has %zu parameters that the kernel's own list does not have, "
			"nor the table a column for",
			c->n - known);
	if (json_type(listed) == JSON_ARRAY && !is_listed(listed, c))
		return asc_err_set(e, ASC_INPUT,
				   "it is not in the kernel's own list, whose pre_hook FlagGems "
				   "takes from there");
	return reader_check_launch(c, e);
}

/* ---- files ---- */

static enum asc_status write(const struct reader_table *t, struct buf *out, struct asc_err *e)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '[');
	for (size_t i = 0; i < t->n; i++) {
		const char *key = t->rows[i].key, *table;
		struct json_doc *doc = NULL;

		if (json_open_text("key", key, strlen(key), &doc, e))
			return e->status;
		const struct json_node *first = json_first(json_root(doc));
		const enum asc_status status = json_get_string(first, &table, e);

		if (w.comma)
			buf_add_char(out, ',');
		w.comma = false;
		buf_add_char(out, '\n');
		json_write_begin(&w, NULL, '{');
		if (status == ASC_OK)
			json_write_string(&w, "table", table);
		json_write_node(&w, "key", json_next(first));
		json_write_begin(&w, "values", '{');
		for (size_t k = 0; k < t->rows[i].config.n; k++)
			json_write_value(&w, t->rows[i].config.list[k].name,
					 t->rows[i].config.list[k].value);
		json_write_end(&w, '}');
		json_write_end(&w, '}');
		json_close(doc);
		if (status)
			return status;
	}
	json_write_end(&w, ']');
	buf_add_char(out, '\n');
	return buf_check(out, e);
}

static enum asc_status pack(const struct buf *text, const struct buf *there, struct buf *out,
			    struct asc_err *e)
{
	struct json_doc *doc = NULL;

	if (json_open_text("rows", buf_str(text), text->len, &doc, e))
		return e->status;
	const enum asc_status status = foreign_rows_write(json_root(doc), there, out, e);

	json_close(doc);
	return status;
}

static enum asc_status read_row(const struct json_node *n, struct reader_table *out,
				struct asc_err *e)
{
	const struct json_node *table = json_find(n, "table"), *keys = json_find(n, "key"),
			       *values = json_find(n, "values");
	struct reader_config c = {0};
	struct buf key = {0};
	struct json_writer w = {&key, false};

	if (!table || !keys || !values)
		return json_fail(n, e, "expected \"table\", \"key\" and \"values\"");
	json_write_begin(&w, NULL, '[');
	json_write_node(&w, NULL, table);
	json_write_node(&w, NULL, keys);
	json_write_end(&w, ']');
	enum asc_status status = buf_check(&key, e);

	for (const struct json_node *m = json_first(values); m && status == ASC_OK;
	     m = json_next(m))
		status = reader_read_value(m, out, &c, e);
	if (status == ASC_OK)
		status = reader_table_add(out, buf_str(&key), &c, e);
	buf_fini(&key);
	return status;
}

static enum asc_status read(const char *path, const struct buf *text, struct reader_table *out,
			    struct asc_err *e)
{
	struct json_doc *doc = NULL;
	struct buf rows = {0};

	if (text->len == 0) /* to SQLite a database without tables */
		return ASC_OK;
	const bool packed = foreign_rows_is_file(text);
	const struct buf *shown = packed ? &rows : text;
	enum asc_status status = packed ? foreign_rows_read(path, text, &rows, e) : ASC_OK;

	if (status == ASC_OK)
		status = json_open_text(path, buf_str(shown), shown->len, &doc, e);
	if (status == ASC_OK)
		status = json_expect(json_root(doc), JSON_ARRAY, e);
	for (const struct json_node *n = status == ASC_OK ? json_first(json_root(doc)) : NULL;
	     n && status == ASC_OK; n = json_next(n))
		status = read_row(n, out, e);
	json_close(doc);
	buf_fini(&rows);
	return status;
}

const struct reader_ops flaggems_reader = {
	.name = "flaggems",
	.library = "flaggems",
	.summary = "rows of FlagGems' cache of configurations, a table for each kernel",
	.version = "5.0.2",
	.asks = true,
	.place = "set FLAGGEMS_CACHE_DIR to the folder that has config_cache, or copy that into "
		 "~/.flaggems",
	.name_file = reader_name_told_file,
	.print_key = print_key,
	.find = find,
	.complete = complete,
	.check = check,
	.write = write,
	.pack = pack,
	.read = read,
};
