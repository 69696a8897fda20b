#include "tuner/workload/binding/verdict_cells.h"

#include <string.h>

#include "tuner/workload/limits/limits.h"
#include "tuner/workload/workload_read.h"

/* ---- the columns of a kernel ---- */

static void column_add(struct verdict_columns *c, enum verdict_column_kind kind, const char *name,
		       size_t at)
{
	/* The table, which counts the names, refuses too many. */
	if (c->n == VERDICT_TABLE_MAX_COLUMNS)
		return;
	c->names[c->n] = name;
	c->list[c->n++] = (struct verdict_column){kind, name, at};
}

void verdict_columns_find(const struct workload *w, const struct implementation *i, size_t call,
			  struct verdict_columns *out)
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

enum asc_status verdict_columns_order(struct verdict_columns *c, const struct verdict_table *t,
				      struct asc_err *e)
{
	size_t n, at;
	const char *const *names = verdict_table_columns(t, &n);

	for (size_t i = 0; i < n; i++) {
		for (at = i; at < c->n && strcmp(c->names[at], names[i]) != 0;)
			at++;
		if (at >= c->n)
			return asc_err_set(e, ASC_INPUT,
					   "has a column %s, which is no type, parameter or "
					   "constant of the kernel",
					   names[i]);
		const struct verdict_column found = c->list[at];

		c->list[at] = c->list[i];
		c->names[at] = c->names[i];
		c->list[i] = found;
		c->names[i] = found.name;
	}
	return n == c->n ? ASC_OK : asc_err_set(e, ASC_INPUT, "lacks a column %s", c->names[n]);
}

/* ---- the cells of a configuration ---- */

void verdict_variant_fini(struct verdict_variant *v)
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

enum asc_status verdict_variant_init(struct verdict_variant *v, const struct binding *b,
				     const struct implementation *i, size_t call, struct asc_err *e)
{
	const struct callable *f = &i->calls[call];

	*v = (struct verdict_variant){.binding = b, .implementation = i, .call = f};
	enum asc_status s = binding_scope_init(&v->scope, b, i, e);

	for (size_t k = 0; k < f->n_constants && s == ASC_OK; k++)
		if (f->constants[k].formula.text)
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

static enum asc_status fail_value(const struct expr *x, enum expr_error error,
				  const struct value *slots, struct asc_err *e)
{
	struct buf why = {0};

	if (error == EXPR_E_UNKNOWN)
		return asc_err_set(e, ASC_INPUT, "\"%s\" needs %s, unknown on this device",
				   expr_text(x), expr_unknown_name(x));
	if (error)
		expr_print_error(x, error, slots, &why);
	(void)asc_err_set(e, ASC_INPUT, "\"%s\" %s", expr_text(x),
			  error ? buf_str(&why) : "is no integer");
	buf_fini(&why);
	return e->status;
}

/* Finds the number of blocks, before the grid is folded. */
static enum asc_status count_blocks(const struct verdict_variant *v, const struct value *slots,
				    int64_t *out, struct asc_err *e)
{
	*out = 1;
	for (size_t k = 0; k < 3; k++) {
		struct value n;

		if (!v->grid[k])
			continue;
		const enum expr_error error = expr_eval(v->grid[k], slots, &n);
		if (error || n.kind == VALUE_REAL || n.kind == VALUE_TEXT)
			return fail_value(v->grid[k], error, slots, e);
		if (__builtin_mul_overflow(*out, n.i, out))
			return fail_value(v->grid[k], EXPR_E_OVERFLOW, slots, e);
	}
	return ASC_OK;
}

/* Appends the type of an argument as a launch would have it: Triton takes an integer for i32 where
 * it can be one. That it knows of sizes that are 1, and of divisors, changes no verdict; so one row
 * serves all sizes. */
static enum asc_status print_type(const struct verdict_variant *v, size_t k,
				  const struct value *slots, struct buf *out, struct asc_err *e)
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
			return fail_value(v->numbers[k], error, slots, e);
		break;
	case ARG_TEXT:
	case ARG_LIST:
	case ARG_NULL:
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

static enum asc_status print_constant(const struct verdict_variant *v, size_t k,
				      const struct value *slots, struct buf *out, struct asc_err *e)
{
	const struct constant *c = &v->call->constants[k];
	struct value value = value_bool(c->truth);
	enum constant_kind kind = c->kind;
	const char *dtype = c->dtype;
	enum dtype type = DTYPE_F32;

	if (c->formula.text) {
		const enum expr_error error = expr_eval(v->constants[k], slots, &value);

		if (error)
			return fail_value(v->constants[k], error, slots, e);
	}
	if (kind == CONSTANT_TABLE)
		kind = table_value_kind(value, &dtype);
	if (kind == CONSTANT_DTYPE)
		(void)problem_find_dtype(v->binding->problem, dtype, &type); /* is known */
	if (kind == CONSTANT_NULL)
		buf_add_str(out, "null");
	else if (kind == CONSTANT_DTYPE)
		buf_add_str(out, dtype_name(type));
	else
		print_value(value, out);
	return ASC_OK;
}

enum asc_status verdict_variant_print(const struct verdict_variant *v,
				      const struct verdict_column *c, const struct value *slots,
				      struct buf *out, struct asc_err *e)
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
