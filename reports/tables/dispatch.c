#include "reports/tables/dispatch.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover.h"
#include "reports/tables/dispatch_data.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

void dispatch_fini(struct dispatch *t)
{
	for (size_t i = 0; i < t->n_texts; i++)
		free(t->texts[i]);
	free(t->texts);
	free(t->rows);
	free(t->rules);
	for (size_t i = 0; i < t->n_covers; i++) {
		if (t->covers[i].choice)
			cover_fini(t->covers[i].choice);
		free(t->covers[i].choice);
		free(t->covers[i].sizes);
	}
	free(t->covers);
	if (t->holes)
		dispatch_fini(t->holes);
	free(t->holes);
	*t = (struct dispatch){0};
}

/* ---- texts ---- */

/* Takes over `text`; NULL: out of memory. */
static const char *own_text(struct dispatch *t, char *text, struct asc_err *e)
{
	if (!text || !array_room(&t->texts, t->n_texts, &t->texts_room, sizeof *t->texts)) {
		free(text);
		asc_err_nomem(e);
		return NULL;
	}
	t->texts[t->n_texts++] = text;
	return text;
}

enum asc_status dispatch_keep(struct dispatch *t, const char **text, struct asc_err *e)
{
	if (!*text)
		return ASC_OK;
	*text = own_text(t, str_dup(*text), e);
	return *text ? ASC_OK : e->status;
}

enum asc_status dispatch_leave_out(struct dispatch *t, struct dispatch_row *row, struct asc_err *e,
				   const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	row->left_out = own_text(t, str_dup(text), e);
	row->said = true;
	return row->left_out ? ASC_OK : e->status;
}

enum asc_status dispatch_keep_result(struct dispatch *t, struct best_row *r, struct asc_err *e)
{
	const char **const others[] = {&r->export_json, &r->kinds_json, &r->source_digest};
	enum asc_status status = ASC_OK;

	for (const struct db_field *f = best_fields; f->name && status == ASC_OK; f++)
		if (f->kind == DB_FIELD_TEXT || f->kind == DB_FIELD_JSON)
			status =
				dispatch_keep(t, (const char **)(void *)((char *)r + f->offset), e);
	for (size_t i = 0; i < sizeof others / sizeof *others && status == ASC_OK; i++)
		status = dispatch_keep(t, others[i], e);
	for (size_t i = 1; i < r->baselines.n && status == ASC_OK; i++)
		status = dispatch_keep(t, &r->baselines.list[i].name, e);
	r->profile = NULL; /* the text is kept */
	return status;
}

/* ---- sizes and types ---- */

/* Order of sizes or types by their names, which are their first members. */
static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum asc_status add_sizes(struct dispatch *t, struct dispatch_row *row,
				 const struct json_node *dims, struct asc_err *e)
{
	struct asc_err ignored;

	if (dims && json_count(dims) > RULE_MAX_SIZES)
		return dispatch_leave_out(t, row, e, "it has %zu sizes, at most %d can be told",
					  json_count(dims), RULE_MAX_SIZES);
	for (const struct json_node *n = dims ? json_first(dims) : NULL; n; n = json_next(n)) {
		struct rule_size *s = &row->sizes[row->n_sizes];

		s->name = json_key(n);
		if (dispatch_keep(t, &s->name, e))
			return e->status;
		/* A truth value is the size 0 or 1. What is no integer from 0 on makes no rule by
		 * the workload's names, but a library may ask by other sizes than this one. */
		if (json_get_size(n, &s->low, &ignored) != ASC_OK || s->low < 0) {
			row->no_size = s->name;
			continue;
		}
		s->high = s->low;
		row->n_sizes++;
	}
	qsort(row->sizes, row->n_sizes, sizeof *row->sizes, compare_names);
	for (size_t i = 0; i < row->n_sizes; i++) {
		row->axes[i] = i;
		row->truth[i] = json_type(json_find(dims, row->sizes[i].name)) == JSON_BOOL;
	}
	return ASC_OK;
}

static enum asc_status add_types(struct dispatch *t, struct dispatch_row *row,
				 const struct json_node *types, struct asc_err *e)
{
	if (types && json_count(types) > RULE_MAX_TYPES)
		return dispatch_leave_out(t, row, e, "it has %zu types, at most %d can be told",
					  json_count(types), RULE_MAX_TYPES);
	for (const struct json_node *n = types ? json_first(types) : NULL; n; n = json_next(n)) {
		struct asctune_type *one = &row->types[row->n_types];

		one->name = json_key(n);
		if (json_get_string(n, &one->type, e) || dispatch_keep(t, &one->name, e) ||
		    dispatch_keep(t, &one->type, e))
			return e->status;
		row->n_types++;
	}
	qsort(row->types, row->n_types, sizeof *row->types, compare_names);
	return ASC_OK;
}

/* Sets which sizes are of shapes. */
static enum asc_status add_kinds(struct dispatch_row *row, struct asc_err *e)
{
	const char *text = row->result.kinds_json ? row->result.kinds_json : "{}";
	struct json_doc *doc = NULL;
	struct asc_err damage;

	/* A damaged text is as one that was not recorded: then no rule gets a range. */
	if (json_open_text("kinds", text, strlen(text), &doc, &damage))
		return damage.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	for (size_t i = 0; i < row->n_sizes; i++) {
		const struct json_node *n = json_find(json_root(doc), row->sizes[i].name);
		const char *kind;

		row->of_shape[i] = n && json_get_string(n, &kind, &damage) == ASC_OK &&
				   strcmp(kind, "size") == 0;
	}
	json_close(doc);
	return ASC_OK;
}

/* Reads sizes and types of the row's problem. */
static enum asc_status add_values(struct dispatch *t, struct dispatch_row *row, struct asc_err *e)
{
	const char *text = row->result.dims_json ? row->result.dims_json : "";
	struct json_doc *doc = NULL;
	enum asc_status status = json_open_text("problem_values", text, strlen(text), &doc, e);

	if (status == ASC_OK)
		status = add_sizes(t, row, json_find(json_root(doc), "dims"), e);
	if (status == ASC_OK)
		status = add_types(t, row, json_find(json_root(doc), "dtypes"), e);
	if (status == ASC_OK)
		status = add_kinds(row, e);
	json_close(doc);
	/* One damaged row of a database, which a merge may have brought, costs its own rule, not
	 * the export of all others. */
	if (status == ASC_INPUT) {
		const struct asc_err why = *e;

		status = dispatch_leave_out(t, row, e, "%s", why.text);
	}
	return status;
}

/* ---- rows ---- */

enum asc_status dispatch_add(struct dispatch *t, const struct best_row *result, bool simulated,
			     struct asc_err *e)
{
	if (!array_room(&t->rows, t->n_rows, &t->rows_room, sizeof *t->rows))
		return asc_err_nomem(e);
	struct dispatch_row *row = &t->rows[t->n_rows];
	const struct best_row *r = &row->result;
	const struct baseline_time *base =
		r->baselines.list; /* the first, where there are several */

	*row = (struct dispatch_row){
		.result = *result, .simulated = simulated, .own_default = -1, .rival_index = -1};
	if (dispatch_keep_result(t, &row->result, e))
		return e->status;
	/* Without a table a library runs its vendor's implementation where the workload
	 * has a baseline, else the same kernel as it comes. */
	if (base->ns > 0) {
		row->rival = base->name;
		row->rival_ns = base->ns;
	} else if (r->default_ns > 0) {
		row->rival = r->implementation;
		row->rival_ns = r->default_ns;
	}
	row->op = r->operator_name;
	t->n_rows++;
	return add_values(t, row, e);
}
