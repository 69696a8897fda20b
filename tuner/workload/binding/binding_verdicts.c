#include "tuner/workload/binding/binding_verdicts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/workload/binding/binding_scope.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/limits/verdict_table.h"
#include "tuner/workload/sources/sources.h"
#include "tuner/workload/workload_read.h"

/* ---- the columns of a kernel ---- */

struct column {
	enum column_kind {
		COLUMN_TARGET,
		COLUMN_TYPE, /* a dtype variable of the problems */
		COLUMN_ARGUMENTS,
		COLUMN_PARAMETER,
		COLUMN_CONSTANT
	} kind;
	const char *name;
	size_t at; /* of the implementation's parameters, the call's constants */
};

struct columns {
	struct column list[VERDICT_TABLE_MAX_COLUMNS];
	const char *names[VERDICT_TABLE_MAX_COLUMNS];
	size_t n;
};

static void column_add(struct columns *c, enum column_kind kind, const char *name, size_t at)
{
	/* What is too much is refused by the table, which counts the names. */
	if (c->n == VERDICT_TABLE_MAX_COLUMNS)
		return;
	c->names[c->n] = name;
	c->list[c->n++] = (struct column){kind, name, at};
}

/* Finds the columns of a kernel's key: all that it is compiled with, and what it is compiled for.
 */
static void columns_of(const struct workload *w, const struct implementation *i, size_t call,
		       struct columns *out)
{
	const struct callable *f = &i->calls[call];

	out->n = 0;
	column_add(out, COLUMN_TARGET, VERDICT_TABLE_TARGET, 0);
	/* Problems may have different variables; a table has those of all. */
	for (size_t p = 0; p < w->n_problems; p++)
		for (size_t k = 0; k < w->problems[p].n_dtypes; k++) {
			const char *name = w->problems[p].dtypes[k].name;
			size_t at = 0;

			while (at < out->n && strcmp(out->names[at], name) != 0)
				at++;
			if (at == out->n)
				column_add(out, COLUMN_TYPE, name, 0);
		}
	column_add(out, COLUMN_ARGUMENTS, VERDICT_TABLE_ARGUMENTS, 0);
	for (size_t k = 0; k < i->n_parameters; k++)
		if (i->parameters[k].stage == STAGE_BUILD &&
		    name_list_has(&f->parameters, i->parameters[k].name))
			column_add(out, COLUMN_PARAMETER, i->parameters[k].name, k);
	for (size_t k = 0; k < f->n_constants; k++)
		column_add(out, COLUMN_CONSTANT, f->constants[k].name, k);
}

/* ---- the cells of a configuration ---- */

/* The formulas of a kernel, compiled once for all of its configurations. */
struct variant {
	const struct binding *binding;
	const struct implementation *implementation;
	const struct callable *call;
	struct binding_scope scope;
	struct expr *constants[WORKLOAD_MAX_CONSTANTS]; /* NULL: no formula */
	struct expr *numbers[WORKLOAD_MAX_ARGUMENTS];   /* integers that are passed */
	struct expr *grid[3];                           /* NULL: 1 */
};

static void variant_fini(struct variant *v)
{
	for (size_t k = 0; k < WORKLOAD_MAX_CONSTANTS; k++)
		expr_free(v->constants[k]);
	for (size_t k = 0; k < WORKLOAD_MAX_ARGUMENTS; k++)
		expr_free(v->numbers[k]);
	for (size_t k = 0; k < 3; k++)
		expr_free(v->grid[k]);
	binding_scope_fini(&v->scope);
}

static bool is_blocks(const struct argument *a)
{
	return a->kind == ARG_BUILTIN && a->builtin == BUILTIN_BLOCKS;
}

static bool is_number(const struct argument *a)
{
	return a->kind == ARG_SCALAR && !dtype_is_float(a->scalar_type) &&
	       a->scalar_type != DTYPE_BOOL;
}

/* Ended by variant_fini() in any case. */
static enum asc_status variant_init(struct variant *v, const struct binding *b,
				    const struct implementation *i, size_t call, struct asc_err *e)
{
	const struct callable *f = &i->calls[call];

	*v = (struct variant){.binding = b, .implementation = i, .call = f};
	enum asc_status s = binding_scope_init(&v->scope, b, i, e);

	for (size_t k = 0; k < f->n_constants && s == ASC_OK; k++)
		if (f->constants[k].kind == CONSTANT_FORMULA)
			s = binding_compile(&v->scope, &f->constants[k].formula, &v->constants[k],
					    e);
	for (size_t k = 0; k < f->n_arguments && s == ASC_OK; k++)
		if (is_number(&f->arguments[k]))
			s = binding_compile(&v->scope, &f->arguments[k].scalar, &v->numbers[k], e);
	for (size_t k = 0; k < 3 && s == ASC_OK; k++)
		if (f->launch.grid[k].text)
			s = binding_compile(&v->scope, &f->launch.grid[k], &v->grid[k], e);
	return s;
}

static enum asc_status fail_value(const struct expr *x, enum expr_error error, struct asc_err *e)
{
	if (error == EXPR_E_UNKNOWN)
		return asc_err_set(e, ASC_INPUT, "\"%s\" needs %s, unknown on this device",
				   expr_text(x), expr_unknown_name(x));
	return asc_err_set(e, ASC_INPUT, "\"%s\" %s", expr_text(x),
			   error ? expr_error_text(error) : "is no integer");
}

/* Finds the number of blocks, before the grid is folded. */
static enum asc_status count_blocks(const struct variant *v, const struct value *slots,
				    int64_t *out, struct asc_err *e)
{
	*out = 1;
	for (size_t k = 0; k < 3; k++) {
		struct value n;

		if (!v->grid[k])
			continue;
		const enum expr_error error = expr_eval(v->grid[k], slots, &n);
		if (error || n.kind == VALUE_REAL || n.kind == VALUE_TEXT)
			return fail_value(v->grid[k], error, e);
		if (__builtin_mul_overflow(*out, n.i, out))
			return fail_value(v->grid[k], EXPR_E_OVERFLOW, e);
	}
	return ASC_OK;
}

/* Appends the type of an argument as a launch would have it: Triton takes an integer for i32 where
 * it can be one. That it knows of sizes that are 1, and of divisors, changes no verdict; so one row
 * serves all sizes. */
static enum asc_status print_type(const struct variant *v, size_t k, const struct value *slots,
				  struct buf *out, struct asc_err *e)
{
	const struct argument *a = &v->call->arguments[k];
	const struct binding *b = v->binding;
	struct value n = {.kind = VALUE_INT};
	enum dtype type = a->scalar_type;
	enum expr_error error = EXPR_E_OK;

	buf_add_str(out, k ? " " : "");
	switch (a->kind) {
	case ARG_TENSOR:
	case ARG_TENSOR_MAP:
		if (a->tensor < b->workload->n_tensors && !b->tensors[a->tensor].present) {
			buf_add_str(out, "none");
			return ASC_OK;
		}
		if (a->tensor < b->workload->n_tensors)
			type = b->tensors[a->tensor].dtype;
		else
			(void)problem_find_dtype(
				b->problem,
				workload_find_tensor(b->workload, v->implementation, a->tensor)
					->dtype,
				&type); /* is known */
		buf_print(out, "%s%s", a->kind == ARG_TENSOR ? "*" : "map:", dtype_name(type));
		return ASC_OK;
	case ARG_SCRATCH: buf_add_str(out, "*i8"); return ASC_OK;
	case ARG_SCALAR:
		if (!v->numbers[k]) {
			/* A real is a float of C to Triton, a truth value one bit. */
			buf_add_str(out, type == DTYPE_BOOL ? "i1" : "f32");
			return ASC_OK;
		}
		error = expr_eval(v->numbers[k], slots, &n);
		if (error || n.kind == VALUE_REAL || n.kind == VALUE_TEXT)
			return fail_value(v->numbers[k], error, e);
		break;
	case ARG_BUILTIN:
		if (is_blocks(a) && count_blocks(v, slots, &n.i, e))
			return e->status;
		break;
	}
	buf_add_str(out, n.i == (int32_t)n.i ? "i32" : "i64");
	return ASC_OK;
}

static void print_value(struct value v, struct buf *out)
{
	char text[VALUE_TEXT_MAX + 4];

	(void)value_print(v, text, sizeof text);
	buf_add_str(out, text);
}

static enum asc_status print_constant(const struct variant *v, size_t k, const struct value *slots,
				      struct buf *out, struct asc_err *e)
{
	const struct constant *c = &v->call->constants[k];
	struct value value = value_bool(c->truth);
	enum dtype type = DTYPE_F32;

	if (c->kind == CONSTANT_NULL) {
		buf_add_str(out, "null");
		return ASC_OK;
	}
	if (c->kind == CONSTANT_DTYPE) {
		(void)problem_find_dtype(v->binding->problem, c->dtype, &type); /* is known */
		buf_add_str(out, dtype_name(type));
		return ASC_OK;
	}
	if (c->kind == CONSTANT_FORMULA) {
		const enum expr_error error = expr_eval(v->constants[k], slots, &value);

		if (error)
			return fail_value(v->constants[k], error, e);
	}
	print_value(value, out);
	return ASC_OK;
}

static enum asc_status print_cell(const struct variant *v, const struct column *c,
				  const struct value *slots, struct buf *out, struct asc_err *e)
{
	const struct problem *p = v->binding->problem;
	size_t type = 0;

	switch (c->kind) {
	case COLUMN_TARGET: buf_add_str(out, v->binding->limits->name); break;
	case COLUMN_TYPE:
		while (type < p->n_dtypes && strcmp(p->dtypes[type].name, c->name) != 0)
			type++;
		buf_add_str(out, type < p->n_dtypes ? dtype_name(p->dtypes[type].dtype) : "none");
		break;
	case COLUMN_ARGUMENTS:
		for (size_t k = 0; k < v->call->n_arguments; k++)
			if (print_type(v, k, slots, out, e))
				return e->status;
		break;
	case COLUMN_PARAMETER: print_value(slots[c->at], out); break;
	case COLUMN_CONSTANT: return print_constant(v, c->at, slots, out, e);
	}
	return ASC_OK;
}

/* ---- writing ---- */

static bool headings_equal(const struct verdict_heading *a, const struct verdict_heading *b)
{
	return strcmp(a->source, b->source) == 0 && strcmp(a->entry, b->entry) == 0 &&
	       strcmp(a->digest, b->digest) == 0 && strcmp(a->triton, b->triton) == 0 &&
	       strcmp(a->planner, b->planner) == 0;
}

static bool columns_equal(const struct verdict_table *a, const struct verdict_table *b)
{
	size_t n, m;
	const char *const *x = verdict_table_columns(a, &n);
	const char *const *y = verdict_table_columns(b, &m);
	size_t i = 0;

	while (i < n && i < m && strcmp(x[i], y[i]) == 0)
		i++;
	return i == n && i == m;
}

/* Adds the rows of a file that is there, if they are of the same kernel and compilers. */
static enum asc_status keep_rows(struct verdict_table *t, const char *path, size_t *kept,
				 struct asc_err *e)
{
	struct verdict_table *old = NULL;
	enum asc_status s = verdict_table_open(path, &old, e);

	*kept = 0;
	/* A file that is no table is not overwritten: it may have been named by mistake. */
	if (s)
		return s == ASC_NOTFOUND ? ASC_OK : s;
	if (headings_equal(verdict_table_heading(old), verdict_table_heading(t)) &&
	    columns_equal(old, t))
		for (; *kept < verdict_table_rows(old) && s == ASC_OK; ++*kept) {
			const char *const *key;
			const struct verdict_row *row = verdict_table_get(old, *kept, &key);

			s = verdict_table_add(t, key, row, e);
		}
	verdict_table_free(old);
	return s;
}

enum asc_status binding_verdicts_begin(const struct workload *w, const struct implementation *i,
				       size_t call, const struct verdict_compilers *compilers,
				       const char *path, struct verdict_table **out, size_t *kept,
				       struct asc_err *e)
{
	const struct callable *f = &i->calls[call];
	struct columns c;
	char digest[HASH_TEXT_SIZE];

	*kept = 0;
	if (workload_source_is_module(f->source))
		return asc_err_set(e, ASC_INPUT,
				   "%s: is a module of Python: a table of verdicts is of a file",
				   f->source);
	char *source = path_join(w->folder, f->source);
	enum asc_status s = source ? sources_key(source, digest, e) : asc_err_nomem(e);

	free(source);
	columns_of(w, i, call, &c);
	if (s == ASC_OK)
		s = verdict_table_new(&(struct verdict_heading){f->source, callable_entry(f, "npu"),
								digest, compilers->triton,
								compilers->planner},
				      c.names, c.n, out, e);
	if (s == ASC_OK && path && keep_rows(*out, path, kept, e)) {
		verdict_table_free(*out);
		s = e->status;
	}
	return s;
}

enum asc_status binding_verdicts_add(struct verdict_table *t, const struct binding *b,
				     const struct implementation *i, size_t call,
				     const struct config *config, const struct verdict_row *row,
				     struct asc_err *e)
{
	struct columns c;
	struct variant v;
	struct buf text = {0};
	size_t ends[VERDICT_TABLE_MAX_COLUMNS];
	const char *cells[VERDICT_TABLE_MAX_COLUMNS];
	enum asc_status s = variant_init(&v, b, i, call, e);

	columns_of(b->workload, i, call, &c);
	for (size_t k = 0; k < c.n && s == ASC_OK; k++) {
		s = print_cell(&v, &c.list[k], config->values, &text, e);
		buf_add_char(&text, '\0');
		ends[k] = text.len;
	}
	variant_fini(&v);
	if (s == ASC_OK)
		s = buf_check(&text, e);
	for (size_t k = 0; k < c.n && s == ASC_OK; k++)
		cells[k] = text.data + (k ? ends[k - 1] : 0);
	if (s == ASC_OK)
		s = verdict_table_add(t, cells, row, e);
	buf_fini(&text);
	return s;
}
