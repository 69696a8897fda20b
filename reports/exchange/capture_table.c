/* A table's columns are left out one after another, as long as no two rows that are then for the
 * same combination have different values: what a program asked for need not matter. */
#include "reports/exchange/capture_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/arena.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

void capture_table_fini(struct capture_table *t)
{
	free(t->rows);
	*t = (struct capture_table){0};
}

enum asc_status capture_table_add(struct capture_table *t, struct arena *arena,
				  const struct value *cells, const struct json_node *value,
				  struct asc_err *e)
{
	struct value *copy = arena_alloc(arena, t->n_columns * sizeof *copy);
	struct json_writer w = {0};
	struct buf text = {0};
	const char *shown;

	w.out = &text;
	if (value)
		json_write_node(&w, NULL, value);
	else
		json_write_bool(&w, NULL, true);
	shown = arena_copy(arena, buf_str(&text));
	if (!copy || !shown || buf_check(&text, e) ||
	    !array_room(&t->rows, t->n_rows, &t->capacity, sizeof *t->rows)) {
		buf_fini(&text);
		return asc_err_nomem(e);
	}
	buf_fini(&text);
	memcpy(copy, cells, t->n_columns * sizeof *copy);
	t->rows[t->n_rows++] = (struct capture_row){copy, value, shown};
	return ASC_OK;
}

/* Order by the columns that matter. */
static int compare_rows(const void *left, const void *right, void *user)
{
	const struct capture_row *a = left, *b = right;
	const struct capture_table *t = user;
	int order = 0;

	for (size_t i = 0; i < t->n_columns && order == 0; i++)
		if (t->needs[i])
			order = value_order(a->cells[i], b->cells[i]);
	return order;
}

/* True when rows for one combination have one value. */
static bool agrees(struct capture_table *t)
{
	qsort_r(t->rows, t->n_rows, sizeof *t->rows, compare_rows, t);
	for (size_t i = 1; i < t->n_rows; i++)
		if (compare_rows(&t->rows[i - 1], &t->rows[i], t) == 0 &&
		    strcmp(t->rows[i - 1].text, t->rows[i].text) != 0)
			return false;
	return true;
}

void capture_table_order(struct capture_table *t)
{
	size_t kept = 0;

	qsort_r(t->rows, t->n_rows, sizeof *t->rows, compare_rows, t);
	for (size_t i = 0; i < t->n_rows; i++)
		if (kept == 0 || compare_rows(&t->rows[kept - 1], &t->rows[i], t) != 0)
			t->rows[kept++] = t->rows[i];
	t->n_rows = kept;
}

enum asc_status capture_table_shrink(struct capture_table *t, struct asc_err *e)
{
	for (size_t i = 0; i < t->n_columns; i++)
		t->needs[i] = true;
	t->n_needs = t->n_columns;
	if (!agrees(t))
		return asc_err_set(e, ASC_INPUT, "two values for one configuration");
	/* The problem first: what holds for all of them holds for sizes that nobody has seen. */
	for (size_t i = 0; i < t->n_columns; i++) {
		t->needs[i] = false;
		if (agrees(t))
			t->n_needs--;
		else
			t->needs[i] = true;
	}
	capture_table_order(t);
	return ASC_OK;
}

void capture_table_write(const struct capture_table *t, struct json_writer *w)
{
	char name[32];

	json_write_begin(w, "by", '[');
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->needs[i])
			json_write_string(w, NULL, t->columns[i]);
	json_write_end(w, ']');
	json_write_begin(w, "rows", '[');
	for (size_t k = 0; k < t->n_rows; k++) {
		json_write_begin(w, NULL, '[');
		for (size_t i = 0; i < t->n_columns; i++) {
			const struct value cell = t->rows[k].cells[i];

			snprintf(name, sizeof name, "p%lld", (long long)cell.i);
			if (t->needs[i] && i == 0)
				json_write_string(w, NULL, name);
			else if (t->needs[i])
				json_write_value(w, NULL, cell);
		}
		if (t->rows[k].node)
			json_write_node(w, NULL, t->rows[k].node);
		else
			json_write_bool(w, NULL, true);
		json_write_end(w, ']');
	}
	json_write_end(w, ']');
}
