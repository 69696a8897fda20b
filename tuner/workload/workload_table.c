#include "tuner/workload/workload_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/space/config.h"

/* Values by table. A table is read in two steps: its own keys with their object (table_read), its
 * rows once the whole file is known (table_check), since problems and parameters say what a cell
 * may be. The rows are sorted once, the problem and its dimensions first: so equal combinations
 * are neighbours, which is how a second row is found, and those of one problem stand together,
 * which is how a binding picks them. */

enum { MAX_BY = 64 }; /* as many as parameters */

static const char problem_key[] = "problem";

/* ---- values: what only a constant can be is a text that no value of a file is ---- */

static const char null_text[] = "\"null", dtype_text[] = "\"dtype ";

static enum asc_status result_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct constant c = {0};
	char text[sizeof dtype_text + 64] = "";
	struct value *out = member;

	if (json_type(n) == JSON_NULL) {
		memcpy(text, null_text, sizeof null_text);
	} else if (json_type(n) == JSON_OBJECT) {
		if (json_read_object(n, &constant_spec, &c, e))
			return e->status;
		if (!c.dtype || c.table)
			return json_fail(n, e, "expected \"dtype\" alone");
		(void)snprintf(text, sizeof text, "%s%s", dtype_text, c.dtype);
	} else {
		return json_get_choice(n, out, e);
	}
	return value_text_add(text, strlen(text), out) ? ASC_OK : asc_err_nomem(e);
}

enum constant_kind table_value_kind(struct value v, const char **dtype)
{
	const char *text = v.kind == VALUE_TEXT ? value_text_get(v) : "";

	if (strcmp(text, null_text) == 0)
		return CONSTANT_NULL;
	*dtype = text + sizeof dtype_text - 1;
	if (strncmp(text, dtype_text, sizeof dtype_text - 1) == 0)
		return CONSTANT_DTYPE;
	return v.kind == VALUE_BOOL ? CONSTANT_TRUTH : CONSTANT_FORMULA;
}

/* ---- the keys of a table ---- */

static enum asc_status by_read(const struct json_node *n, void *member, struct asc_err *e)
{
	if (json_expect(n, JSON_ARRAY, e) || workload_check_count(n, "names", MAX_BY, e))
		return e->status;
	return workload_read_names(n, "name", NULL, member, e);
}

static enum asc_status rows_read(const struct json_node *n, void *member, struct asc_err *e)
{
	*(const struct json_node **)member = n;
	return json_expect(n, JSON_ARRAY, e);
}

#define AT(member) offsetof(struct value_table, member)

static const struct json_field table_fields[] = {
	{"by", JSON_AS_CUSTOM, true, AT(by), by_read, NULL},
	{"rows", JSON_AS_CUSTOM, true, AT(rows_node), rows_read, NULL},
	{"otherwise", JSON_AS_CUSTOM, false, AT(otherwise), result_read, &constant_spec},
	{0}};

#undef AT

const struct json_spec table_spec = {"table", table_fields};

static enum asc_status table_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct value_table *t = member;

	t->name = json_key(n);
	t->node = n;
	if (json_ends(n, workload_check_identifier(n, t->name, e)) ||
	    json_ends(n, json_read_object(n, &table_spec, t, e)))
		return e->status;
	t->has_otherwise = json_find(n, "otherwise");
	return ASC_OK;
}

enum asc_status implementation_read_tables(const struct json_node *n, void *member,
					   struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct value_table), table_read,
					      "tables", WORKLOAD_MAX_TABLES};
	struct implementation *i = member;

	i->tables = workload_read_items(n, &rule, &i->n_tables, e);
	return i->tables ? ASC_OK : e->status;
}

/* ---- columns: what each name of "by" is ---- */

/* Values that the cells of a column may have, in ascending order; NULL: any. */
struct allowed {
	struct value *list;
	size_t n;
};

/* State of reading the rows of one table. */
struct rows_reader {
	const struct workload *workload;
	const struct implementation *implementation;
	struct value_table *table;
	size_t places[MAX_BY];          /* column of each name of "by" */
	struct allowed allowed[MAX_BY]; /* of each column */
	struct row *rows;
	size_t n_rows;
};

struct row {
	const struct value *cells; /* in the order of the columns */
	struct value result;
	const struct json_node *node;
};

static bool is_dimension(const struct workload *w, const char *name)
{
	for (size_t i = 0; i < w->n_problems; i++)
		if (problem_find_dimension(&w->problems[i], name))
			return true;
	return false;
}

static enum asc_status fail_column(const struct rows_reader *r, const struct json_node *n,
				   const char *name, struct asc_err *e)
{
	const struct implementation *i = r->implementation;
	const struct problem *p = r->workload->problems;
	const char *names[1 + CONFIG_MAX_PARAMETERS + WORKLOAD_MAX_DIMS + 1] = {problem_key};
	size_t n_names = 1;

	for (size_t k = 0; k < i->n_parameters; k++)
		names[n_names++] = i->parameters[k].name;
	/* The first problem stands for all: most have the same dimensions. */
	for (size_t k = 0; k < p->n_dims && k < WORKLOAD_MAX_DIMS; k++)
		names[n_names++] = p->dims[k].name;
	return json_fail_unknown(n, e, "parameter or dimension", name, names);
}

static enum asc_status column_find(const struct rows_reader *r, const struct json_node *n,
				   const char *name, struct table_column *out, struct asc_err *e)
{
	const struct implementation *i = r->implementation;

	*out = (struct table_column){.name = name, .kind = TABLE_BY_PROBLEM};
	if (strcmp(name, problem_key) == 0)
		return ASC_OK;
	out->kind = TABLE_BY_PARAMETER;
	for (; out->parameter < i->n_parameters; out->parameter++)
		if (strcmp(i->parameters[out->parameter].name, name) == 0)
			return ASC_OK;
	out->kind = TABLE_BY_DIMENSION;
	return is_dimension(r->workload, name) ? ASC_OK : fail_column(r, n, name, e);
}

static bool comes_before(const struct table_column *a, const struct table_column *b)
{
	return a->kind != b->kind ? a->kind < b->kind : a->parameter < b->parameter;
}

/* Finds the columns and puts them in order: those that a problem fixes, then the parameters. */
static enum asc_status columns_find(struct rows_reader *r, struct asc_err *e)
{
	struct value_table *t = r->table;
	struct table_column found[MAX_BY];
	const struct json_node *n = json_first(t->by.node);

	for (size_t k = 0; k < t->by.n; k++, n = json_next(n)) {
		if (column_find(r, n, t->by.names[k], &found[k], e))
			return e->status;
		for (size_t j = 0; j < k; j++)
			if (strcmp(t->by.names[j], t->by.names[k]) == 0)
				return json_fail(n, e, "\"%s\" is listed twice", t->by.names[k]);
	}
	t->columns = json_alloc(t->node, (t->by.n + 1) * sizeof *t->columns);
	if (!t->columns)
		return asc_err_nomem(e);
	t->n_columns = t->by.n;
	for (size_t k = 0; k < t->n_columns; k++) {
		r->places[k] = 0;
		/* Dimensions, which have no order of their own, come in that of their columns. */
		for (size_t j = 0; j < t->n_columns; j++)
			r->places[k] += comes_before(&found[j], &found[k]) ||
					(j < k && !comes_before(&found[k], &found[j]));
		t->columns[r->places[k]] = found[k];
		t->n_fixed += found[k].kind != TABLE_BY_PARAMETER;
	}
	return ASC_OK;
}

static int compare_values(const void *a, const void *b)
{
	return value_order(*(const struct value *)a, *(const struct value *)b);
}

/* Lists what cells of the column may be. */
static enum asc_status allowed_init(const struct rows_reader *r, const struct table_column *c,
				    struct allowed *out, struct asc_err *e)
{
	const struct workload *w = r->workload;
	const struct parameter *p = &r->implementation->parameters[c->parameter];

	if (c->kind == TABLE_BY_DIMENSION)
		return ASC_OK;
	const size_t n = c->kind == TABLE_BY_PROBLEM ? w->n_problems : p->n_values + 1;

	out->list = malloc((n + 1) * sizeof *out->list);
	if (!out->list)
		return asc_err_nomem(e);
	if (c->kind == TABLE_BY_PROBLEM) {
		for (; out->n < n; out->n++)
			if (!value_text_add(w->problems[out->n].name,
					    strlen(w->problems[out->n].name), &out->list[out->n]))
				return asc_err_nomem(e);
	} else {
		memcpy(out->list, p->values, p->n_values * sizeof *out->list);
		out->n = p->n_values;
		/* The value on other classes of device need not be among the others. */
		if (p->has_otherwise)
			out->list[out->n++] = p->otherwise;
	}
	qsort(out->list, out->n, sizeof *out->list, compare_values);
	return ASC_OK;
}

/* ---- rows ---- */

static enum asc_status fail_problem(const struct rows_reader *r, const struct json_node *n,
				    const char *name, struct asc_err *e)
{
	const struct workload *w = r->workload;
	const char **names = calloc(w->n_problems + 1, sizeof *names);

	if (!names)
		return asc_err_nomem(e);
	for (size_t i = 0; i < w->n_problems; i++)
		names[i] = w->problems[i].name;
	const enum asc_status s = json_fail_unknown(n, e, "problem", name, names);

	free(names);
	return s;
}

/* Reads one cell; *known is false for a value that its parameter does not have. */
static enum asc_status cell_read(const struct rows_reader *r, size_t column,
				 const struct json_node *n, struct value *out, bool *known,
				 struct asc_err *e)
{
	const struct allowed *a = &r->allowed[column];
	const struct table_column *c = &r->table->columns[column];
	const struct value *found = NULL;
	const char *name;

	/* The name of a problem may be longer than a value, or a number. */
	if (c->kind == TABLE_BY_PROBLEM) {
		if (json_get_string(n, &name, e))
			return e->status;
		if (value_text_find(name, strlen(name), out))
			found = bsearch(out, a->list, a->n, sizeof *out, compare_values);
		return found ? ASC_OK : fail_problem(r, n, name, e);
	}
	if (json_get_choice(n, out, e))
		return e->status;
	if (c->kind == TABLE_BY_DIMENSION)
		return ASC_OK;
	found = bsearch(out, a->list, a->n, sizeof *out, compare_values);
	/* The cell gets the parameter's own form, 1 for 1.0, so that cells can be compared as they
	 * are. */
	if (found)
		*out = *found;
	*known &= found != NULL;
	return ASC_OK;
}

static enum asc_status row_read(struct rows_reader *r, const struct json_node *n,
				struct value *cells, struct asc_err *e)
{
	struct value_table *t = r->table;
	struct row *row = &r->rows[r->n_rows];
	bool known = true;
	size_t k = 0;

	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	if (json_count(n) != t->n_columns + 1)
		return json_fail(n, e,
				 "has %zu values, expected %zu: one for each name of \"by\", then "
				 "what they give",
				 json_count(n), t->n_columns + 1);
	const struct json_node *cell = json_first(n);

	for (; k < t->n_columns; k++, cell = json_next(cell))
		if (cell_read(r, r->places[k], cell, &cells[r->places[k]], &known, e))
			return e->status;
	if (result_read(cell, &row->result, e))
		return e->status;
	row->cells = cells;
	row->node = n;
	r->n_rows += known;
	t->n_ignored += !known;
	return ASC_OK;
}

static int compare_rows(const void *a, const void *b, void *n_columns)
{
	const struct row *x = a, *y = b;
	int order = 0;

	for (size_t i = 0; i < *(const size_t *)n_columns && order == 0; i++)
		/* Neighbours often are the same value, which needs no comparison of texts. */
		if (x->cells[i].kind != y->cells[i].kind || x->cells[i].i != y->cells[i].i)
			order = value_order(x->cells[i], y->cells[i]);
	return order;
}

/* Checks the types among the values of a table. */
static enum asc_status types_check(const struct rows_reader *r, struct asc_err *e)
{
	const char *dtype, *last = NULL;
	const struct value_table *t = r->table;

	if (t->has_otherwise && table_value_kind(t->otherwise, &dtype) == CONSTANT_DTYPE &&
	    json_ends(t->node,
		      workload_check_dtype(r->workload, json_find(t->node, "otherwise"), dtype, e)))
		return e->status;
	for (size_t i = 0; i < r->n_rows; i++) {
		/* Texts are kept once: the same one was checked for all problems. */
		if (table_value_kind(r->rows[i].result, &dtype) != CONSTANT_DTYPE || dtype == last)
			continue;
		last = dtype;
		if (json_ends(t->node,
			      workload_check_dtype(r->workload, r->rows[i].node, dtype, e)))
			return e->status;
	}
	return ASC_OK;
}

/* Refuses two rows for one combination, which are neighbours once sorted. */
static enum asc_status distinct_check(const struct rows_reader *r, struct asc_err *e)
{
	size_t n = r->table->n_columns;

	for (size_t i = 1; i < r->n_rows; i++) {
		const struct json_node *row = r->rows[i].node;

		if (compare_rows(&r->rows[i - 1], &r->rows[i], &n) == 0 &&
		    json_ends(row, json_fail(row, e, "is a second row for one combination")))
			return e->status;
	}
	return ASC_OK;
}

/* Reads all rows and sorts them. */
static enum asc_status rows_check(struct rows_reader *r, struct asc_err *e)
{
	struct value_table *t = r->table;
	const size_t n = json_count(t->rows_node);
	const size_t width = t->n_columns + 1;
	struct value *cells = malloc((n * t->n_columns + 1) * sizeof *cells);
	struct value *kept = json_alloc(t->node, (n + 1) * width * sizeof *kept);
	size_t i = 0;

	r->rows = calloc(n + 1, sizeof *r->rows);
	enum asc_status s = cells && kept && r->rows ? ASC_OK : asc_err_nomem(e);

	for (const struct json_node *row = json_first(t->rows_node); row && s == ASC_OK;
	     row = json_next(row), i++) {
		s = row_read(r, row, cells + i * t->n_columns, e);
		s = json_ends(row, s) ? s : ASC_OK;
	}
	if (s == ASC_OK)
		s = types_check(r, e);
	if (s == ASC_OK && r->n_rows)
		qsort_r(r->rows, r->n_rows, sizeof *r->rows, compare_rows, &t->n_columns);
	if (s == ASC_OK)
		s = distinct_check(r, e);
	for (i = 0; i < r->n_rows && s == ASC_OK; i++) {
		memcpy(kept + i * width, r->rows[i].cells, t->n_columns * sizeof *kept);
		kept[i * width + t->n_columns] = r->rows[i].result;
	}
	t->rows = s == ASC_OK && json_is_sound(t->node) ? kept : NULL;
	t->n_rows = r->n_rows;
	free(r->rows);
	free(cells);
	return s;
}

static enum asc_status table_check(const struct workload *w, const struct implementation *i,
				   struct value_table *t, struct asc_err *e)
{
	struct rows_reader r = {.workload = w, .implementation = i, .table = t};
	enum asc_status s = columns_find(&r, e);

	for (size_t k = 0; k < t->n_columns && s == ASC_OK; k++)
		s = allowed_init(&r, &t->columns[k], &r.allowed[k], e);
	if (s == ASC_OK)
		s = rows_check(&r, e);
	for (size_t k = 0; k < t->n_columns; k++)
		free(r.allowed[k].list);
	return s;
}

/* ---- names ---- */

enum asc_status table_check_name(const struct implementation *i, const struct json_node *n,
				 const char *name, struct asc_err *e)
{
	const char *names[WORKLOAD_MAX_TABLES + 1] = {NULL};

	for (size_t k = 0; k < i->n_tables; k++)
		names[k] = i->tables[k].name;
	if (workload_find_table(i, name) || !workload_is_whole(i->node, "tables"))
		return ASC_OK;
	return json_fail_unknown(n, e, "table", name, names);
}

/* Refuses a table with a name that means something else in a formula. */
static enum asc_status table_clash(const struct workload *w, const struct implementation *i,
				   const struct value_table *t, struct asc_err *e)
{
	const char *other = workload_find_meaning(w, t->name);

	for (size_t k = 0; k < i->n_parameters; k++)
		if (strcmp(i->parameters[k].name, t->name) == 0)
			other = "a parameter";
	for (size_t k = 0; k < w->n_tensors; k++)
		if (strcmp(w->tensors[k].name, t->name) == 0)
			other = "a tensor";
	for (size_t k = 0; k < i->n_calls; k++)
		for (size_t j = 0; j < i->calls[k].n_constants; j++) {
			const struct constant *c = &i->calls[k].constants[j];

			/* A constant that is the table means the same. */
			if (strcmp(c->name, t->name) == 0 &&
			    (c->kind != CONSTANT_TABLE || strcmp(c->table, t->name) != 0))
				other = "a constant";
		}
	return other ? json_fail(t->node, e, "\"%s\" is already %s", t->name, other) : ASC_OK;
}

/* Checks that the table which is tried first has truth values. */
static enum asc_status first_check(const struct implementation *i, struct asc_err *e)
{
	const struct json_node *n = json_find(i->node, "first");
	const struct value_table *t = i->first ? workload_find_table(i, i->first) : NULL;

	if (!i->first)
		return ASC_OK;
	if (!t)
		return table_check_name(i, n, i->first, e);
	bool truth = !t->has_otherwise || t->otherwise.kind == VALUE_BOOL;

	for (size_t k = 0; k < t->n_rows && truth; k++)
		truth = t->rows[k * (t->n_columns + 1) + t->n_columns].kind == VALUE_BOOL;
	return truth ? ASC_OK
		     : json_fail(n, e, "is table %s, expected one of truth values", i->first);
}

enum asc_status tables_check(const struct workload *w, struct implementation *i, struct asc_err *e)
{
	const struct json_node *root = json_root(w->doc), *problems = json_find(root, "problems");
	/* Behind a fault in problems or parameters a cell may be right. */
	const bool whole =
		problems && json_is_sound(problems) && workload_is_whole(i->node, "parameters");

	size_t number = 0;

	for (const struct implementation *before = w->implementations; before < i; before++)
		number += before->n_tables;
	for (size_t k = 0; k < i->n_tables; k++) {
		struct value_table *t = &i->tables[k];

		t->number = number + k;
		if (json_ends(t->node, table_clash(w, i, t, e)))
			return e->status;
		if (whole && json_is_sound(t->node) && t->by.node && t->rows_node &&
		    json_ends(t->node, table_check(w, i, t, e)))
			return e->status;
	}
	return json_ends(i->node, first_check(i, e)) ? e->status : ASC_OK;
}
