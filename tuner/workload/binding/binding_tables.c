#include "tuner/workload/binding/binding_tables.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/expr/expr.h"
#include "tuner/workload/workload_read.h"

/* Cells of the problem in the columns that it fixes. */
struct fixed {
	struct value *cells;
	size_t n;
	bool known;      /* false: a cell that no row has */
	struct buf text; /* of dimensions, `M=64` */
};

static enum asc_status fixed_init(struct fixed *f, const struct problem *p,
				  const struct value_table *t, struct asc_err *e)
{
	char text[64];

	*f = (struct fixed){.cells = calloc(t->n_fixed + 1, sizeof *f->cells), .known = true};
	if (!f->cells)
		return asc_err_nomem(e);
	for (; f->n < t->n_fixed; f->n++) {
		const struct table_column *c = &t->columns[f->n];
		struct value *cell = &f->cells[f->n];

		if (c->kind == TABLE_BY_PROBLEM) {
			f->known &= value_text_find(p->name, strlen(p->name), cell);
			continue;
		}
		const struct dimension *d = problem_find_dimension(p, c->name);

		/* Other problems may have a dimension that this one lacks. */
		if (!d) {
			f->known = false;
			continue;
		}
		*cell = d->value;
		(void)value_print(*cell, text, sizeof text);
		buf_print(&f->text, "%s%s=%s", f->text.len ? ", " : "", c->name, text);
	}
	return buf_check(&f->text, e);
}

static void fixed_fini(struct fixed *f)
{
	free(f->cells);
	buf_fini(&f->text);
}

/* Number of rows before the problem's, or, with `behind`, also of these. */
static size_t count_before(const struct value_table *t, const struct fixed *f, bool behind)
{
	size_t low = 0, high = t->n_rows;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const struct value *cells = t->rows + middle * (t->n_columns + 1);
		int order = 0;

		for (size_t i = 0; i < f->n && order == 0; i++)
			order = value_order(cells[i], f->cells[i]);
		if (order < 0 || (order == 0 && behind))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Rows of a table that are about the bound problem. */
struct slice {
	struct fixed fixed;
	size_t first, end;
};

static enum asc_status slice_init(struct slice *s, const struct binding *b,
				  const struct value_table *t, struct asc_err *e)
{
	const enum asc_status status = fixed_init(&s->fixed, b->problem, t, e);

	s->first = s->fixed.known ? count_before(t, &s->fixed, false) : 0;
	s->end = s->fixed.known ? count_before(t, &s->fixed, true) : 0;
	return status;
}

static enum asc_status table_bind(const struct binding *b, const struct implementation *i,
				  const struct value_table *t, struct expr_table **out,
				  struct asc_err *e)
{
	const size_t n = t->n_columns - t->n_fixed, stride = t->n_columns + 1;
	size_t slots[CONFIG_MAX_PARAMETERS], counts[CONFIG_MAX_PARAMETERS];
	const char *names[CONFIG_MAX_PARAMETERS];
	bool counted = true;
	struct slice rows;
	enum asc_status s = slice_init(&rows, b, t, e);

	for (size_t k = 0; k < n; k++) {
		const struct table_column *c = &t->columns[t->n_fixed + k];
		const struct parameter *p = &i->parameters[c->parameter];

		slots[k] = c->parameter;
		names[k] = c->name;
		counts[k] = p->n_values;
		/* Rows may be for values of other classes of device. */
		counted &= !p->has_otherwise;
	}
	const struct expr_table_spec spec = {.name = t->name,
					     .given = buf_str(&rows.fixed.text),
					     .slots = slots,
					     .names = names,
					     .counts = counted ? counts : NULL,
					     .n_slots = n,
					     .n_rows = rows.end - rows.first,
					     .rows = t->rows + rows.first * stride + t->n_fixed,
					     .stride = stride,
					     .otherwise = t->has_otherwise ? &t->otherwise : NULL};

	if (s == ASC_OK)
		s = expr_table_new(&spec, out, e);
	fixed_fini(&rows.fixed);
	return s;
}

static void hash_value(struct hash *h, struct value v)
{
	char text[sizeof "\"dtype " + VALUE_TEXT_MAX + 8];

	/* Texts have other numbers in another process. */
	(void)value_print(v, text, sizeof text);
	hash_add_str(h, text);
}

void binding_table_hash(const struct binding *b, const struct value_table *t, struct hash *h)
{
	const size_t width = t->n_columns + 1;
	struct slice s = {.first = 0};

	if (!h->failure.status && slice_init(&s, b, t, &h->failure) == ASC_OK) {
		for (size_t k = t->n_fixed; k < t->n_columns; k++)
			hash_add_str(h, t->columns[k].name);
		for (size_t i = s.first * width; i < s.end * width; i++)
			if (i % width >= t->n_fixed)
				hash_value(h, t->rows[i]);
		hash_add_str(h, NULL);
		if (t->has_otherwise)
			hash_value(h, t->otherwise);
	}
	fixed_fini(&s.fixed);
}

static size_t count_tables(const struct workload *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_implementations; i++)
		n += w->implementations[i].n_tables;
	return n;
}

enum asc_status binding_tables_init(struct binding *b, struct asc_err *e)
{
	const struct workload *w = b->workload;
	enum asc_status s = ASC_OK;

	b->tables = calloc(count_tables(w) + 1, sizeof(void *));
	if (!b->tables)
		return asc_err_nomem(e);
	for (size_t i = 0; i < w->n_implementations; i++)
		for (size_t k = 0; k < w->implementations[i].n_tables && s == ASC_OK; k++) {
			const struct value_table *t = &w->implementations[i].tables[k];

			if (t->rows)
				s = table_bind(b, &w->implementations[i], t, &b->tables[t->number],
					       e);
		}
	return s;
}

void binding_tables_fini(struct binding *b)
{
	for (size_t i = b->tables ? count_tables(b->workload) : 0; i-- > 0;)
		expr_table_free(b->tables[i]);
	free(b->tables);
	b->tables = NULL;
}
