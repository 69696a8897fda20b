#include "tuner/workload/binding/verdict_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/verdict_cells.h"
#include "tuner/workload/limits/limits.h"

/* A table's rows become a list over parameters, which a space's diagram takes like any expression:
 * each row names the values of parameters, and with these its constants either have the values of
 * the row, then the row is about this problem, or not. So a problem costs a walk over the rows, not
 * over its configurations. */

static const char unknown[] = "unknown", fits[] = "fits";

static const char *word_of(const struct verdict_row *r)
{
	switch (r->verdict) {
	case ROW_REFUSED: return r->space;
	case ROW_UNSUPPORTED: return VERDICT_UNSUPPORTED;
	default: return r->retries > 0 ? VERDICT_FALLS_BACK : fits;
	}
}

static enum asc_status add_text(const char *text, struct value *out, struct asc_err *e)
{
	return value_text_add(text, strlen(text), out) ? ASC_OK : asc_err_nomem(e);
}

/* ---- rows ---- */

struct walk {
	struct verdict_view *view;
	struct verdict_variant variant;
	struct verdict_columns columns;
	const struct verdict_table *table;
	struct buf fixed[VERDICT_TABLE_MAX_COLUMNS]; /* cells that no parameter changes */
	size_t free[CONFIG_MAX_PARAMETERS]; /* parameters without a column that constants read */
	size_t n_free;
	struct value slots[CONFIG_MAX_PARAMETERS];
};

/* Values that a parameter has on this class of device. */
static const struct value *values_of(const struct walk *w, size_t parameter, size_t *n)
{
	const struct parameter *p = &w->variant.implementation->parameters[parameter];
	const bool there = name_list_has(&p->devices, w->variant.binding->device);

	*n = there ? p->n_values : 1;
	return there ? p->values : &p->otherwise;
}

/* Sets the parameter to the value of a cell; false: it never has it here. */
static bool set_parameter(struct walk *w, size_t parameter, const char *cell)
{
	const size_t len = strlen(cell);
	struct value v;
	size_t n, i = 0;
	const struct value *values = values_of(w, parameter, &n);

	if (!value_parse(cell, len, &v) && !value_text_find(cell, len, &v))
		return false;
	while (i < n && !value_equal(values[i], v))
		i++;
	if (i < n)
		w->slots[parameter] = values[i];
	return i < n;
}

/* Sets *equal where the row's constants and arguments are those of the parameters that are set. */
static enum asc_status compare(const struct walk *w, const char *const *key, bool *equal,
			       struct asc_err *e)
{
	struct buf cell = {0};
	enum asc_status s = ASC_OK;

	*equal = true;
	for (size_t i = 0; i < w->columns.n && *equal && s == ASC_OK; i++) {
		const struct verdict_column *c = &w->columns.list[i];

		if (c->kind != COLUMN_CONSTANT && c->kind != COLUMN_ARGUMENTS)
			continue;
		buf_clear(&cell);
		s = verdict_variant_print(&w->variant, c, w->slots, &cell, e);
		if (s == ASC_OK)
			s = buf_check(&cell, e);
		*equal = s == ASC_OK && strcmp(buf_str(&cell), key[i]) == 0;
	}
	buf_fini(&cell);
	/* A configuration whose constants have no value is none of the space. */
	return s == ASC_INPUT ? ASC_OK : s;
}

static enum asc_status add_row(struct walk *w, const struct verdict_row *row, struct asc_err *e)
{
	struct verdict_view *v = w->view;
	const size_t width = v->n_slots + 1;

	for (size_t i = 0; i < width; i++)
		if (!array_room(&v->rows, v->n_rows * width + i, &v->row_capacity, sizeof *v->rows))
			return asc_err_nomem(e);
	struct value *to = v->rows + v->n_rows * width;

	for (size_t i = 0; i + 1 < width; i++)
		to[i] = w->slots[v->slots[i]];
	v->n_rows++;
	return add_text(word_of(row), &to[width - 1], e);
}

/* Adds what the row says, for each combination of the parameters from number `k` of those that have
 * no column. */
static enum asc_status try_row(struct walk *w, const char *const *key,
			       const struct verdict_row *row, size_t k, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	bool equal;
	size_t n;

	if (k == w->n_free) {
		s = compare(w, key, &equal, e);
		return s || !equal ? s : add_row(w, row, e);
	}
	const struct value *values = values_of(w, w->free[k], &n);

	for (size_t i = 0; i < n && s == ASC_OK; i++) {
		w->slots[w->free[k]] = values[i];
		s = try_row(w, key, row, k + 1, e);
	}
	return s;
}

static enum asc_status walk_rows(struct walk *w, struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < verdict_table_rows(w->table) && s == ASC_OK; i++) {
		const char *const *key;
		const struct verdict_row *row = verdict_table_get(w->table, i, &key);
		bool about = true;

		/* The cheapest comparison comes first: most rows are of other SoCs and types. */
		for (size_t k = 0; k < w->columns.n && about; k++)
			if (w->fixed[k].data)
				about = strcmp(w->fixed[k].data, key[k]) == 0;
		for (size_t k = 0; k < w->columns.n && about; k++)
			if (w->columns.list[k].kind == COLUMN_PARAMETER)
				about = set_parameter(w, w->columns.list[k].at, key[k]);
		if (about)
			s = try_row(w, key, row, 0, e);
	}
	return s;
}

static int compare_rows(const void *a, const void *b, void *width)
{
	const struct value *x = a, *y = b;
	int order = 0;

	for (size_t i = 0; i + 1 < *(const size_t *)width && order == 0; i++)
		order = value_order(x[i], y[i]);
	return order;
}

/* ---- one call ---- */

/* Notes the parameters that have columns, and those without one that constants read. */
static void note_parameters(struct walk *w)
{
	struct verdict_view *v = w->view;
	const size_t n = w->variant.implementation->n_parameters;
	bool has_column[CONFIG_MAX_PARAMETERS] = {false}, is_read[CONFIG_MAX_PARAMETERS] = {false};

	for (size_t i = 0; i < w->columns.n; i++)
		if (w->columns.list[i].kind == COLUMN_PARAMETER)
			has_column[w->columns.list[i].at] = true;
	for (size_t i = 0; i < w->variant.call->n_constants; i++) {
		const struct expr *x = w->variant.constants[i];
		const size_t *read;
		const size_t n_read = x ? expr_slots(x, &read) : 0;

		for (size_t k = 0; k < n_read; k++)
			is_read[read[k]] = true;
	}
	for (size_t i = 0; i < n; i++) {
		size_t unused;

		w->slots[i] = *values_of(w, i, &unused);
		if (is_read[i] && !has_column[i])
			w->free[w->n_free++] = i;
		if (is_read[i] || has_column[i]) {
			v->names[v->n_slots] = w->variant.implementation->parameters[i].name;
			v->slots[v->n_slots++] = i;
		}
	}
}

static enum asc_status view_init(struct verdict_view *v, const struct binding *b,
				 const struct implementation *i, size_t call, struct asc_err *e)
{
	struct walk w = {.view = v, .table = i->calls[call].verdicts.table};
	struct value otherwise;
	enum asc_status s = verdict_variant_init(&w.variant, b, i, call, e);

	*v = (struct verdict_view){.file = i->calls[call].verdicts.file};
	/* Kernels of a list of calls are told apart by their places. */
	if (i->n_calls > 1)
		(void)snprintf(v->name, sizeof v->name, "planner.verdict_%zu", call);
	else
		(void)snprintf(v->name, sizeof v->name, "planner.verdict");
	verdict_columns_find(b->workload, i, call, &w.columns);
	if (s == ASC_OK)
		s = verdict_columns_order(&w.columns, w.table, e);
	if (s == ASC_OK)
		s = add_text(unknown, &otherwise, e);
	if (s == ASC_OK)
		note_parameters(&w);
	for (size_t k = 0; k < w.columns.n && s == ASC_OK; k++) {
		const struct verdict_column *c = &w.columns.list[k];

		if (c->kind != COLUMN_TARGET && c->kind != COLUMN_TYPE)
			continue;
		s = verdict_variant_print(&w.variant, c, w.slots, &w.fixed[k], e);
		if (s == ASC_OK)
			s = buf_check(&w.fixed[k], e);
	}
	if (s == ASC_OK)
		s = walk_rows(&w, e);
	size_t width = v->n_slots + 1;
	if (v->n_rows)
		qsort_r(v->rows, v->n_rows, width * sizeof *v->rows, compare_rows, &width);
	const struct expr_table_spec spec = {.name = v->name,
					     .slots = v->slots,
					     .names = v->names,
					     .n_slots = v->n_slots,
					     .n_rows = v->n_rows,
					     .rows = v->rows,
					     .stride = width,
					     .otherwise = &otherwise};

	if (s == ASC_OK)
		s = expr_table_new(&spec, &v->table, e);
	for (size_t k = 0; k < VERDICT_TABLE_MAX_COLUMNS; k++)
		buf_fini(&w.fixed[k]);
	verdict_variant_fini(&w.variant);
	return s;
}

/* ---- all calls ---- */

enum asc_status verdict_views_init(struct verdict_views *v, const struct binding *b,
				   const struct implementation *i, struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	v->n = 0;
	v->whole = true;
	for (size_t k = 0; k < i->n_calls && s == ASC_OK; k++) {
		const struct callable *c = &i->calls[k];

		if (c->verdicts.table && b->limits)
			s = view_init(&v->list[v->n++], b, i, k, e);
		else if (!callable_is_library(c)) /* a library's memory is its own */
			v->whole = false;
	}
	v->whole &= v->n > 0;
	return s;
}

void verdict_views_fini(struct verdict_views *v)
{
	for (size_t k = 0; k < v->n; k++) {
		expr_table_free(v->list[k].table);
		free(v->list[k].rows);
	}
}

bool verdict_view_has(const struct verdict_view *v, const char *word)
{
	const size_t width = v->n_slots + 1;
	struct value wanted;
	size_t i = 0;

	if (!value_text_find(word, strlen(word), &wanted))
		return false;
	while (i < v->n_rows && v->rows[i * width + width - 1].i != wanted.i)
		i++;
	return i < v->n_rows;
}

char *verdict_views_relax(const struct verdict_views *v, char *text)
{
	struct buf out = {0};

	if (!v || !v->whole || !text)
		return text;
	for (size_t k = 0; k < v->n; k++)
		buf_print(&out, "%s%s in ['%s', '%s']", k ? " and " : "", v->list[k].name, fits,
			  VERDICT_FALLS_BACK);
	buf_print(&out, " or %s", text);
	free(text);
	return buf_take(&out);
}
