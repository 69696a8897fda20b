#include "db/foreign_rows.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

static const char magic[] = "SQLite format 3"; /* with its NUL, as each file begins */

bool foreign_rows_is_file(const struct buf *bytes)
{
	return bytes->len >= sizeof magic && memcmp(bytes->data, magic, sizeof magic) == 0;
}

static enum asc_status fail(sqlite3 *sql, const char *path, struct asc_err *e)
{
	const int code = sqlite3_errcode(sql);

	if (code == SQLITE_INTERRUPT)
		return asc_err_set(e, ASC_INPUT,
				   "%s: a table needs more work than the size of the file explains",
				   path);
	return code == SQLITE_NOMEM
		       ? asc_err_nomem(e)
		       : asc_err_set(e, ASC_INPUT, "%s: %s", path, sqlite3_errmsg(sql));
}

/* Steps of SQLite's machine that a statement takes at most: a row of 60 bytes takes some 20. What
 * needs more is torn, or made to need it: a tree whose pages have the same child many times. */
enum { FREE_STEPS = 1000000, STEPS_PER_BYTE = 100 };

static int stop(void *user)
{
	(void)user;
	return 1;
}

/* Opens a copy of a file in memory; an empty one where `file` is NULL or empty. What is somebody
 * else's file runs nothing: no function of its schema is called, no trigger and no view. */
static enum asc_status open_copy(const char *path, const struct buf *file, sqlite3 **out,
				 struct asc_err *e)
{
	enum { FLAGS = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE };
	const sqlite3_int64 n = file ? (sqlite3_int64)file->len : 0;
	const int most = n < INT_MAX / STEPS_PER_BYTE - FREE_STEPS
				 ? FREE_STEPS + (int)n * STEPS_PER_BYTE
				 : INT_MAX;

	if (sqlite3_open(":memory:", out))
		return *out ? fail(*out, path, e) : asc_err_nomem(e);
	(void)sqlite3_db_config(*out, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(*out, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(*out, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(*out, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_progress_handler(*out, most, stop, NULL); /* counts for each statement */
	if (!file || file->len == 0)
		return ASC_OK;
	unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)n);

	if (!copy)
		return asc_err_nomem(e);
	memcpy(copy, file->data, file->len);
	return sqlite3_deserialize(*out, "main", copy, n, n, FLAGS) ? fail(*out, path, e) : ASC_OK;
}

/* Prepares a statement of a text with %w in it, for names that others have chosen. */
static enum asc_status prepare(sqlite3 *sql, const char *path, char *text, sqlite3_stmt **out,
			       struct asc_err *e)
{
	const int code = text ? sqlite3_prepare_v2(sql, text, -1, out, NULL) : SQLITE_NOMEM;

	sqlite3_free(text);
	if (!text)
		return asc_err_nomem(e);
	return code ? fail(sql, path, e) : ASC_OK;
}

static enum asc_status run(sqlite3 *sql, const char *path, char *text, struct asc_err *e)
{
	sqlite3_stmt *stmt = NULL;

	if (prepare(sql, path, text, &stmt, e))
		return e->status;
	(void)sqlite3_step(stmt);
	return sqlite3_finalize(stmt) ? fail(sql, path, e) : ASC_OK;
}

/* ---- reading ---- */

struct columns { /* of a table */
	size_t n, n_keys;
	bool fits; /* key_0, key_1, ... come first and are the primary key */
};

static enum asc_status look_at(sqlite3 *sql, const char *path, const char *table,
			       struct columns *out, struct asc_err *e)
{
	sqlite3_stmt *stmt = NULL;

	*out = (struct columns){.fits = true};
	if (prepare(sql, path, sqlite3_mprintf("SELECT name, pk FROM pragma_table_info(%Q)", table),
		    &stmt, e))
		return e->status;
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		const bool key = sqlite3_column_int(stmt, 1) != 0;

		out->fits = out->fits && name && key == (strncmp(name, "key_", 4) == 0) &&
			    (!key || out->n_keys == out->n);
		out->n_keys += key;
		out->n++;
	}
	out->fits = out->fits && out->n_keys > 0;
	return sqlite3_finalize(stmt) ? fail(sql, path, e) : ASC_OK;
}

static void write_cell(struct json_writer *w, const char *name, sqlite3_stmt *stmt, int i)
{
	const char *declared = sqlite3_column_decltype(stmt, i);

	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_INTEGER:
		if (declared && sqlite3_stricmp(declared, "BOOLEAN") == 0)
			json_write_bool(w, name, sqlite3_column_int(stmt, i) != 0);
		else
			json_write_int(w, name, sqlite3_column_int64(stmt, i));
		break;
	case SQLITE_FLOAT: json_write_real(w, name, sqlite3_column_double(stmt, i)); break;
	default: json_write_string(w, name, (const char *)sqlite3_column_text(stmt, i)); break;
	}
}

static enum asc_status read_table(sqlite3 *sql, const char *path, const char *table,
				  struct json_writer *w, struct asc_err *e)
{
	sqlite3_stmt *stmt = NULL;
	struct columns columns;

	if (look_at(sql, path, table, &columns, e))
		return e->status;
	if (!columns.fits)
		return ASC_OK;
	if (prepare(sql, path, sqlite3_mprintf("SELECT * FROM \"%w\"", table), &stmt, e))
		return e->status;
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		json_write_begin(w, NULL, '{');
		json_write_string(w, "table", table);
		json_write_begin(w, "key", '[');
		for (size_t i = 0; i < columns.n_keys; i++)
			write_cell(w, NULL, stmt, (int)i);
		json_write_end(w, ']');
		json_write_begin(w, "values", '{');
		for (size_t i = columns.n_keys; i < columns.n; i++)
			write_cell(w, sqlite3_column_name(stmt, (int)i), stmt, (int)i);
		json_write_end(w, '}');
		json_write_end(w, '}');
	}
	return sqlite3_finalize(stmt) ? fail(sql, path, e) : ASC_OK;
}

/* Visits the tables of a file, in the order in which they were made. */
static enum asc_status each_table(sqlite3 *sql, const char *path,
				  enum asc_status (*visit)(sqlite3 *sql, const char *path,
							   const char *table, struct json_writer *w,
							   struct asc_err *e),
				  struct json_writer *w, struct asc_err *e)
{
	static const char list[] = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name "
				   "NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid";
	sqlite3_stmt *stmt = NULL;
	enum asc_status status = ASC_OK;

	if (sqlite3_prepare_v2(sql, list, -1, &stmt, NULL))
		return fail(sql, path, e);
	while (status == ASC_OK && sqlite3_step(stmt) == SQLITE_ROW)
		status = visit(sql, path, (const char *)sqlite3_column_text(stmt, 0), w, e);
	const int code = sqlite3_finalize(stmt);

	return status == ASC_OK && code ? fail(sql, path, e) : status;
}

enum asc_status foreign_rows_read(const char *path, const struct buf *file, struct buf *out,
				  struct asc_err *e)
{
	struct json_writer w = {out, false};
	sqlite3 *sql = NULL;
	enum asc_status status = open_copy(path, file, &sql, e);

	json_write_begin(&w, NULL, '[');
	if (status == ASC_OK)
		status = each_table(sql, path, read_table, &w, e);
	json_write_end(&w, ']');
	sqlite3_close(sql);
	return status ? status : buf_check(out, e);
}

/* ---- writing ---- */

static const char *type_of(const struct json_node *n)
{
	switch (json_type(n)) {
	case JSON_BOOL: return "BOOLEAN";
	case JSON_INT: return "INTEGER";
	case JSON_REAL: return "FLOAT";
	default: return "VARCHAR";
	}
}

/* Makes the table of a row, where there is none, as SQLAlchemy would. */
static enum asc_status make_table(sqlite3 *sql, const char *table, const struct json_node *row,
				  struct asc_err *e)
{
	sqlite3_str *text = sqlite3_str_new(sql);
	size_t n = 0;

	sqlite3_str_appendf(text, "CREATE TABLE IF NOT EXISTS \"%w\"(", table);
	for (const struct json_node *k = json_first(json_find(row, "key")); k; k = json_next(k))
		sqlite3_str_appendf(text, "key_%d %s NOT NULL, ", (int)n++, type_of(k));
	for (const struct json_node *v = json_first(json_find(row, "values")); v; v = json_next(v))
		sqlite3_str_appendf(text, "\"%w\" %s NOT NULL, ", json_key(v), type_of(v));
	for (size_t i = 0; i < n; i++)
		sqlite3_str_appendf(text, "%s key_%d", i ? "," : "PRIMARY KEY(", (int)i);
	sqlite3_str_appendall(text, "))");
	return run(sql, table, sqlite3_str_finish(text), e);
}

static int bind(sqlite3_stmt *stmt, int at, const struct json_node *n)
{
	struct asc_err ignored;
	struct value v;
	const char *text;

	if (json_type(n) == JSON_STRING && json_get_string(n, &text, &ignored) == ASC_OK)
		return sqlite3_bind_text(stmt, at, text, -1, SQLITE_TRANSIENT);
	if (json_get_value(n, &v, &ignored))
		return SQLITE_MISMATCH;
	return v.kind == VALUE_REAL ? sqlite3_bind_double(stmt, at, v.r)
				    : sqlite3_bind_int64(stmt, at, v.i);
}

static enum asc_status insert(sqlite3 *sql, const char *table, const struct json_node *row,
			      struct asc_err *e)
{
	const struct json_node *keys = json_find(row, "key"), *values = json_find(row, "values");
	const size_t n = json_count(keys) + json_count(values);
	sqlite3_str *text = sqlite3_str_new(sql);
	sqlite3_stmt *stmt = NULL;
	int at = 0, code = SQLITE_OK;

	sqlite3_str_appendf(text, "INSERT INTO \"%w\"(", table);
	for (const struct json_node *k = json_first(keys); k; k = json_next(k), at++)
		sqlite3_str_appendf(text, "%s key_%d", at ? "," : "", at);
	for (const struct json_node *v = json_first(values); v; v = json_next(v))
		sqlite3_str_appendf(text, ", \"%w\"", json_key(v));
	for (size_t i = 0; i < n; i++)
		sqlite3_str_appendall(text, i ? ", ?" : ") VALUES(?");
	sqlite3_str_appendall(text, ")");
	if (prepare(sql, table, sqlite3_str_finish(text), &stmt, e))
		return e->status;
	at = 0;
	for (const struct json_node *k = json_first(keys); k && !code; k = json_next(k))
		code = bind(stmt, ++at, k);
	for (const struct json_node *v = json_first(values); v && !code; v = json_next(v))
		code = bind(stmt, ++at, v);
	if (!code)
		(void)sqlite3_step(stmt);
	return sqlite3_finalize(stmt) || code ? fail(sql, table, e) : ASC_OK;
}

/* Empties a table of rows that the text has. */
static enum asc_status empty_table(sqlite3 *sql, const char *path, const char *table,
				   struct json_writer *w, struct asc_err *e)
{
	struct columns columns;

	(void)w;
	if (look_at(sql, path, table, &columns, e))
		return e->status;
	return columns.fits ? run(sql, path, sqlite3_mprintf("DELETE FROM \"%w\"", table), e)
			    : ASC_OK;
}

enum asc_status foreign_rows_write(const struct json_node *rows, const struct buf *there,
				   struct buf *out, struct asc_err *e)
{
	sqlite3 *sql = NULL;
	sqlite3_int64 n = 0;
	const char *table;
	enum asc_status status = open_copy("the file that is there", there, &sql, e);

	if (status == ASC_OK)
		status = each_table(sql, "the file that is there", empty_table, NULL, e);
	for (const struct json_node *row = json_first(rows); row && status == ASC_OK;
	     row = json_next(row)) {
		status = json_get_string(json_find(row, "table"), &table, e);
		if (status == ASC_OK)
			status = make_table(sql, table, row, e);
		if (status == ASC_OK)
			status = insert(sql, table, row, e);
	}
	unsigned char *bytes = status == ASC_OK ? sqlite3_serialize(sql, "main", &n, 0) : NULL;

	if (bytes)
		buf_add(out, (const char *)bytes, (size_t)n);
	else if (status == ASC_OK)
		status = asc_err_nomem(e);
	sqlite3_free(bytes);
	sqlite3_close(sql);
	return status ? status : buf_check(out, e);
}
