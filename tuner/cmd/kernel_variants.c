#include "tuner/cmd/kernel_variants.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"

/* Integers that the planner's command line takes: they choose a program and are no size of a tile
 * (NPU_FLAGS of tuner/python/triton_helper.py). */
static const char *const numbers_of_compilers[] = {
	"set_workspace_multibuffer", "tile_mix_vector_loop", "tile_mix_cube_loop", NULL};

/* ---- columns ---- */

static void add_column(struct kernel_variants *v, enum variant_source source, size_t at,
		       const char *name)
{
	if (v->n_columns < VARIANT_MAX_COLUMNS)
		v->columns[v->n_columns] =
			(struct variant_column){.source = source, .at = at, .name = name};
	v->n_columns++;
}

/* True for a parameter that the call is compiled with. */
static bool is_compiled_in(const struct callable *c, const struct parameter *p)
{
	if (p->stage != STAGE_BUILD || !c->parameters.names)
		return p->stage == STAGE_BUILD;
	for (size_t i = 0; i < c->parameters.n; i++)
		if (strcmp(c->parameters.names[i], p->name) == 0)
			return true;
	return false;
}

static enum asc_status set_columns(struct kernel_variants *v, const struct problem *p,
				   struct asc_err *e)
{
	const struct implementation *i = v->implementation;
	const struct callable *call = &i->calls[v->call];

	for (size_t k = 0; k < p->n_dtypes; k++)
		add_column(v, VARIANT_TYPE, k, p->dtypes[k].name);
	for (size_t k = 0; k < i->n_parameters; k++)
		if (is_compiled_in(call, &i->parameters[k]))
			add_column(v, VARIANT_PARAMETER, k, i->parameters[k].name);
	for (size_t k = 0; k < call->n_constants; k++)
		add_column(v, VARIANT_CONSTANT, k, call->constants[k].name);
	return v->n_columns <= VARIANT_MAX_COLUMNS
		       ? ASC_OK
		       : asc_err_set(e, ASC_LIMIT,
				     "implementation %s: %zu parameters and constants; at most %d",
				     i->name, v->n_columns, VARIANT_MAX_COLUMNS);
}

static enum asc_status value_of(const struct kernel_variants *v,
				const struct variant_column *column, const struct binding *b,
				const struct config *c, struct value *out, struct asc_err *e)
{
	const struct constant *constant = &v->implementation->calls[v->call].constants[column->at];
	struct bound_constant bound = {0};

	switch (column->source) {
	case VARIANT_TYPE:
		*out = value_int((int64_t)dtype_bytes(b->problem->dtypes[column->at].dtype));
		return ASC_OK;
	case VARIANT_PARAMETER: *out = c->values[column->at]; return ASC_OK;
	case VARIANT_CONSTANT: break;
	}
	if (binding_constant(b, v->implementation, c, constant, &bound, e))
		return e->status;
	*out = bound.kind == CONSTANT_DTYPE  ? value_int((int64_t)dtype_bytes(bound.dtype))
	       : bound.kind == CONSTANT_NULL ? value_bool(false)
					     : bound.value;
	return ASC_OK;
}

static enum asc_status fill_row(const struct kernel_variants *v, const struct binding *b,
				const struct config *c, struct variant_row *out, struct asc_err *e)
{
	for (size_t k = 0; k < v->n_columns; k++)
		if (value_of(v, &v->columns[k], b, c, &out->values[k], e))
			return e->status;
	return ASC_OK;
}

/* ---- gathering ---- */

enum asc_status kernel_variants_add(struct kernel_variants *v, const struct workload *w,
				    const struct problem *p, const struct planned_target *t,
				    struct asc_err *e)
{
	char reason[512];
	bool covers = false;

	if (!array_room(&v->places, v->n_places, &v->places_room, sizeof *v->places))
		return asc_err_nomem(e);
	struct variant_place *place = &v->places[v->n_places];
	*place = (struct variant_place){0};
	if (planned_bind(t, w, p, &place->binding, e))
		return e->status;
	v->n_places++;
	if (v->n_columns == 0 && set_columns(v, p, e))
		return e->status;
	if (binding_covers(&place->binding, v->implementation, &covers, reason, sizeof reason, e))
		return e->status;
	if (covers && binding_space_unpruned(&place->binding, v->implementation, &place->space, e))
		return e->status;
	for (uint64_t i = 0; place->space && i < space_count(place->space); i++) {
		struct config c;
		if (!array_room(&v->rows, v->n_rows, &v->rows_room, sizeof *v->rows))
			return asc_err_nomem(e);
		struct variant_row *row = &v->rows[v->n_rows];
		*row = (struct variant_row){.place = v->n_places - 1, .index = i};
		space_get(place->space, i, &c);
		if (fill_row(v, &place->binding, &c, row, e))
			return e->status;
		v->n_rows++;
	}
	return ASC_OK;
}

void kernel_variants_fini(struct kernel_variants *v)
{
	for (size_t i = 0; i < v->n_places; i++) {
		space_free(v->places[i].space);
		binding_fini(&v->places[i].binding);
	}
	free(v->places);
	free(v->rows);
	free(v->list);
	free(v->sizes);
	*v = (struct kernel_variants){0};
}

/* ---- sorting ---- */

static int compare_values(struct value a, struct value b)
{
	return a.kind != b.kind ? (a.kind < b.kind ? -1 : 1) : (a.i > b.i) - (a.i < b.i);
}

static int compare_in(const struct kernel_variants *v, const struct variant_row *a,
		      const struct variant_row *b, bool sizes)
{
	for (size_t k = 0; k < v->n_columns; k++) {
		const int order = compare_values(a->values[k], b->values[k]);
		if (order != 0 && v->columns[k].is_size == sizes)
			return order;
	}
	return 0;
}

/* Variants first, then sizes, then the order of the file. */
static int compare_rows(const void *a, const void *b, void *variants)
{
	const struct variant_row *x = a, *y = b;
	int order = compare_in(variants, x, y, false);

	order = order ? order : compare_in(variants, x, y, true);
	if (order == 0)
		order = x->place != y->place ? (x->place < y->place ? -1 : 1)
					     : (x->index > y->index) - (x->index < y->index);
	return order;
}

/* Finds which columns differ, and which of these are sizes: integers beyond a choice of 0 and 1.
 * A bound depends on TILE_MAX_SIZES of them: each value of a further one makes a variant. */
static void find_sizes(struct kernel_variants *v)
{
	for (size_t k = 0; k < v->n_columns; k++) {
		struct variant_column *c = &v->columns[k];
		const enum constant_kind kind =
			c->source == VARIANT_CONSTANT
				? v->implementation->calls[v->call].constants[c->at].kind
				: CONSTANT_FORMULA;
		c->is_hidden = kind != CONSTANT_FORMULA && kind != CONSTANT_TRUTH;
		bool whole = c->source != VARIANT_TYPE && !str_is_in(c->name, numbers_of_compilers);
		int64_t most = 0;
		for (size_t i = 0; i < v->n_rows; i++) {
			const struct value now = v->rows[i].values[k];
			c->differs = c->differs || compare_values(now, v->rows[0].values[k]) != 0;
			whole = whole && now.kind == VALUE_INT && now.i > 0;
			most = whole && now.i > most ? now.i : most;
		}
		c->is_size = whole && !c->is_hidden && c->differs && most > 1 &&
			     v->n_sizes < TILE_MAX_SIZES;
		if (!c->is_size)
			continue;
		v->size_columns[v->n_sizes] = k;
		v->size_names[v->n_sizes++] = c->name;
	}
}

static double fixed_product(const struct kernel_variants *v, const struct variant_row *row)
{
	double product = 1;

	for (size_t k = 0; k < v->n_columns; k++)
		if (!v->columns[k].is_size && !v->columns[k].is_hidden &&
		    v->columns[k].source != VARIANT_TYPE && row->values[k].kind == VALUE_INT &&
		    row->values[k].i > 1)
			product *= (double)row->values[k].i;
	return product;
}

enum asc_status kernel_variants_sort(struct kernel_variants *v, struct asc_err *e)
{
	size_t kept = 0;

	find_sizes(v);
	if (v->n_rows)
		qsort_r(v->rows, v->n_rows, sizeof *v->rows, compare_rows, v);
	for (size_t i = 0; i < v->n_rows; i++)
		if (kept == 0 || compare_in(v, &v->rows[i], &v->rows[kept - 1], false) ||
		    compare_in(v, &v->rows[i], &v->rows[kept - 1], true))
			v->rows[kept++] = v->rows[i];
	v->n_rows = kept;
	v->list = calloc(kept + 1, sizeof *v->list);
	v->sizes = calloc(kept + 1, sizeof *v->sizes);
	if (!v->list || !v->sizes)
		return asc_err_nomem(e);
	for (size_t i = 0; i < kept; i++) {
		if (i == 0 || compare_in(v, &v->rows[i], &v->rows[i - 1], false))
			v->list[v->n++] =
				(struct kernel_variant){.first = &v->rows[i],
							.sizes = &v->sizes[i],
							.fixed = fixed_product(v, &v->rows[i])};
		v->list[v->n - 1].n_rows++;
		for (size_t k = 0; k < v->n_sizes; k++)
			v->sizes[i][k] = v->rows[i].values[v->size_columns[k]].i;
	}
	return ASC_OK;
}

/* ---- configurations ---- */

bool kernel_variants_find(const struct kernel_variants *v, const struct kernel_variant *one,
			  const int64_t sizes[TILE_MAX_SIZES], const struct variant_place **place,
			  struct config *out)
{
	for (size_t i = 0; i < one->n_rows; i++)
		if (memcmp(one->sizes[i], sizes, v->n_sizes * sizeof *sizes) == 0) {
			*place = &v->places[one->first[i].place];
			space_get((*place)->space, one->first[i].index, out);
			return true;
		}
	/* Sizes that no space has: those of a row, changed where they are parameters. What follows
	 * from them in formulas, for that row's problem, has to be as asked for. */
	for (size_t i = 0; i < one->n_rows; i++) {
		struct variant_row made;
		struct asc_err e;
		bool same = true;
		*place = &v->places[one->first[i].place];
		space_get((*place)->space, one->first[i].index, out);
		for (size_t k = 0; k < v->n_sizes; k++) {
			const struct variant_column *c = &v->columns[v->size_columns[k]];
			if (c->source == VARIANT_PARAMETER)
				out->values[c->at] = value_int(sizes[k]);
		}
		if (fill_row(v, &(*place)->binding, out, &made, &e) ||
		    compare_in(v, &made, &one->first[i], false) != 0)
			continue;
		for (size_t k = 0; k < v->n_sizes; k++)
			same = same && made.values[v->size_columns[k]].i == sizes[k];
		if (same)
			return true;
	}
	return false;
}

/* ---- text ---- */

static void print_value(struct value value, struct buf *out)
{
	char text[64];

	value_print(value, text, sizeof text);
	buf_add_str(out, text);
}

/* Appends the types that a variant's problems have for a variable: "f16", "f16 or bf16". */
static void print_types(const struct kernel_variants *v, size_t at, int64_t bytes, struct buf *out)
{
	unsigned long long seen = 0;
	size_t n = 0;

	for (size_t i = 0; i < v->n_places; i++) {
		const enum dtype t = v->places[i].binding.problem->dtypes[at].dtype;
		if (!v->places[i].space || (int64_t)dtype_bytes(t) != bytes || (seen >> t & 1))
			continue;
		seen |= 1ULL << t;
		buf_print(out, "%s%s", n++ ? " or " : "", dtype_name(t));
	}
}

void kernel_variants_print(const struct kernel_variants *v, const struct kernel_variant *one,
			   struct buf *out)
{
	size_t n = 0;

	for (size_t k = 0; k < v->n_columns; k++) {
		const struct variant_column *c = &v->columns[k];
		if (!c->differs || c->is_size || c->is_hidden)
			continue;
		buf_print(out, "%s%s=", n++ ? " " : "", c->name);
		if (c->source == VARIANT_TYPE)
			print_types(v, c->at, one->first->values[k].i, out);
		else
			print_value(one->first->values[k], out);
	}
	if (n == 0)
		buf_add_str(out, "all");
}

/* True where a problem of the variants has a real, or an integer, of that width as the variable. */
static bool has_type(const struct kernel_variants *v, size_t at, int64_t bytes, bool is_float)
{
	for (size_t i = 0; i < v->n_places; i++) {
		const enum dtype t = v->places[i].binding.problem->dtypes[at].dtype;

		if (v->places[i].space && (int64_t)dtype_bytes(t) == bytes &&
		    dtype_is_float(t) == is_float)
			return true;
	}
	return false;
}

/* Appends the condition that a variable is a type of that width. Types that no problem has yet are
 * among them: a planner tells types of one width from each other no more than variants do. */
static void print_width(const struct kernel_variants *v, const struct variant_column *c,
			int64_t bytes, struct buf *out)
{
	enum dtype list[DTYPE_COUNT];
	size_t n = 0;

	for (enum dtype t = 0; t < DTYPE_COUNT; t++)
		if ((int64_t)dtype_bytes(t) == bytes &&
		    has_type(v, c->at, bytes, dtype_is_float(t)))
			list[n++] = t;
	buf_print(out, n == 1 ? "%s == " : "%s in [", c->name);
	for (size_t i = 0; i < n; i++)
		buf_print(out, "%s'%s'", i ? ", " : "", dtype_name(list[i]));
	buf_add_str(out, n == 1 ? "" : "]");
}

void kernel_variants_print_condition(const struct kernel_variants *v, size_t column,
				     const struct kernel_variant *one, struct buf *out)
{
	const struct variant_column *c = &v->columns[column];
	const struct value value = one->first->values[column];

	if (c->source == VARIANT_TYPE) {
		print_width(v, c, value.i, out);
	} else if (value.kind == VALUE_BOOL) {
		buf_print(out, "%s%s", value.i ? "" : "not ", c->name);
	} else {
		buf_print(out, "%s == ", c->name);
		buf_add_str(out, value.kind == VALUE_TEXT ? "'" : "");
		print_value(value, out);
		buf_add_str(out, value.kind == VALUE_TEXT ? "'" : "");
	}
}
