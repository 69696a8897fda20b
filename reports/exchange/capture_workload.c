/* The workload of a form.
 *
 * Two passes: the first, whose text is dropped, finds what differs between the problems and makes
 * dimensions and type variables of it; the second writes the file, in which the problems come
 * first. What is the same in all problems stands as a number where it is used. A value that no
 * workload can state ends the form with its reason. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/capture.h"
#include "reports/exchange/capture_table.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/tensor_file.h"
#include "tuner/code/ttir_roles.h"
#include "tuner/workload/space/config.h"

enum { MAX_NAME = 64, MAX_TTIR_BYTES = 64 << 20 };

struct dimension_column {
	const char *name;
	struct value *values; /* of each problem */
};

struct type_column {
	const char *name;
	const char **types; /* of each problem */
};

struct tuned {
	const char *name;
	struct value *values; /* on the heap */
	size_t n, capacity;
};

struct draft {
	const struct capture *c;
	struct capture_form *form;
	const struct capture_kernel *kernel;
	const struct capture_problem **p; /* those that are kept */
	size_t n;
	struct arena arena;
	struct dimension_column *dims;
	size_t n_dims, dims_capacity;
	struct type_column *types;
	size_t n_types, types_capacity;
	struct tuned *parameters;
	size_t n_parameters, parameters_capacity;
	struct buf tables; /* text of the member, as far as it is written */
	struct json_writer tables_writer;
	size_t n_tables;
	const char *elements;                  /* name of that dimension */
	unsigned uses[WORKLOAD_MAX_ARGUMENTS]; /* of arguments: enum ttir_use of any problem */
	struct json_writer w;
};

/* Ends the form: no failure of the command's. */
static enum asc_status give_up(struct draft *d, struct asc_err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static enum asc_status give_up(struct draft *d, struct asc_err *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str_print_line(d->form->reason, sizeof d->form->reason, format, args);
	va_end(args);
	return asc_err_set(e, ASC_ABSENT, "%s", d->form->reason);
}

/* ---- what differs between problems ---- */

static bool is_taken(const struct draft *d, const char *name)
{
	for (size_t i = 0; i < d->n_dims; i++)
		if (strcmp(d->dims[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < d->n_types; i++)
		if (strcmp(d->types[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < d->n_parameters; i++)
		if (strcmp(d->parameters[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < d->kernel->n_parameters; i++)
		if (strcmp(d->kernel->parameters[i].name, name) == 0)
			return true;
	return false;
}

/* Makes a name that nothing has: `wanted`, with underscores where that is taken. NULL: out of
 * memory. */
static const char *make_name(struct draft *d, const char *wanted)
{
	char name[MAX_NAME + 1];

	/* Room for the underscores of all names that there may be of one kind. */
	snprintf(name, MAX_NAME - 8, "%s", wanted);
	for (size_t n = strlen(name); is_taken(d, name) && n < MAX_NAME; n++)
		memcpy(name + n, "_", 2);
	return arena_copy(&d->arena, name);
}

static const char *find_dimension(const struct draft *d, const struct value *values)
{
	for (size_t i = 0; i < d->n_dims; i++) {
		size_t k = 0;

		while (k < d->n && values[k].kind == d->dims[i].values[k].kind &&
		       value_equal(values[k], d->dims[i].values[k]))
			k++;
		if (k == d->n)
			return d->dims[i].name;
	}
	return NULL;
}

static enum asc_status add_dimension(struct draft *d, const char *name, const struct value *values,
				     struct asc_err *e)
{
	struct dimension_column column = {name, arena_alloc(&d->arena, d->n * sizeof *values)};

	if (!name || !column.values ||
	    !array_room(&d->dims, d->n_dims, &d->dims_capacity, sizeof *d->dims))
		return asc_err_nomem(e);
	if (d->n_dims == WORKLOAD_MAX_DIMS)
		return give_up(d, e, "its problems differ in more than %d sizes",
			       WORKLOAD_MAX_DIMS);
	memcpy(column.values, values, d->n * sizeof *values);
	d->dims[d->n_dims++] = column;
	return ASC_OK;
}

/* Writes a formula for a number that each problem has: the number, or the dimension that has it in
 * all problems, made where there is none. */
static enum asc_status write_number(struct draft *d, const char *key, const char *wanted,
				    const struct value *values, struct asc_err *e)
{
	const char *name;
	size_t k = 1;

	while (k < d->n && values[k].kind == values[0].kind && value_equal(values[k], values[0]))
		k++;
	if (k == d->n) {
		json_write_value(&d->w, key, values[0]);
		return ASC_OK;
	}
	name = find_dimension(d, values);
	if (!name) {
		name = make_name(d, wanted);
		if (add_dimension(d, name, values, e))
			return e->status;
	}
	json_write_string(&d->w, key, name);
	return ASC_OK;
}

/* The type of an argument's elements, or the variable that has it in all problems; NULL: out of
 * memory. */
static const char *name_type(struct draft *d, size_t argument)
{
	struct type_column column = {NULL, arena_alloc(&d->arena, d->n * sizeof *column.types)};
	char wanted[2 * MAX_NAME];
	bool same = true;

	if (!column.types)
		return NULL;
	for (size_t k = 0; k < d->n; k++) {
		column.types[k] = d->p[k]->arguments[argument].type;
		same &= strcmp(column.types[k], column.types[0]) == 0;
	}
	if (same)
		return column.types[0];
	for (size_t i = 0; i < d->n_types; i++) {
		size_t k = 0;

		while (k < d->n && strcmp(d->types[i].types[k], column.types[k]) == 0)
			k++;
		if (k == d->n)
			return d->types[i].name;
	}
	snprintf(wanted, sizeof wanted, "T_%.*s", MAX_NAME, d->p[0]->arguments[argument].name);
	column.name = make_name(d, wanted);
	if (!column.name ||
	    !array_room(&d->types, d->n_types, &d->types_capacity, sizeof *d->types))
		return NULL;
	d->types[d->n_types++] = column;
	return d->types[d->n_types - 1].name;
}

/* Numbers of all problems; NULL: out of memory. */
static struct value *new_values(struct draft *d)
{
	return arena_alloc(&d->arena, d->n * sizeof(struct value));
}

/* ---- what a workload can state ---- */

static bool is_tensor(const struct capture_argument *a)
{
	return a->kind == CAPTURED_TENSOR || a->kind == CAPTURED_DESCRIPTOR;
}

/* Finds what the code that ran does with each tensor, in all problems together. */
static enum asc_status find_uses(struct draft *d, struct asc_err *e)
{
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_problem *p = d->p[k];
		char *path = p->ttir ? path_join(d->c->folder, p->ttir) : NULL;
		struct ttir_roles roles;
		struct buf text = {0};
		enum asc_status s;
		size_t at = 0;

		if (!p->ttir)
			return give_up(d, e, "its code was not recorded");
		s = path ? file_read(path, MAX_TTIR_BYTES, &text, e) : asc_err_nomem(e);
		if (s == ASC_OK)
			s = ttir_read_roles(buf_str(&text), text.len, &roles, e);
		buf_fini(&text);
		free(path);
		if (s == ASC_NOMEM)
			return s;
		if (s != ASC_OK)
			return give_up(d, e, "%s: %s", p->ttir, e->text);
		if (roles.follows_data)
			return give_up(d, e,
				       "it reads addresses out of its data, which lead nowhere in "
				       "another process");
		/* Pointers and descriptors alone are counted on both sides: numbers that are known
		 * when the kernel is compiled are no parameters of its code. */
		for (size_t i = 0; i < p->n_arguments; i++)
			if (is_tensor(&p->arguments[i]) && at++ < roles.n)
				d->uses[i] |= roles.uses[at - 1];
		if (at != roles.n)
			return give_up(d, e, "%s has %zu pointers, %zu tensors were passed",
				       p->ttir, roles.n, at);
	}
	return ASC_OK;
}

static bool tuner_names(const struct draft *d, const char *list, const char *name)
{
	const char *text = NULL;
	struct asc_err none;

	for (const struct json_node *n = json_first(json_find(d->kernel->tuner, list)); n;
	     n = json_next(n))
		if (json_get_string(n, &text, &none) == ASC_OK && strcmp(text, name) == 0)
			return true;
	return false;
}

static const char *find_role(const struct draft *d, size_t argument)
{
	const char *name = d->p[0]->arguments[argument].name;
	const unsigned uses = d->uses[argument];

	if (uses & TTIR_UPDATES || (uses & TTIR_STORES && uses & TTIR_LOADS))
		return "inout";
	if (!(uses & TTIR_STORES))
		return "in";
	/* What its autotuner puts back or clears before each launch counts before the launch. */
	return tuner_names(d, "reset_to_zero", name) || tuner_names(d, "restore_value", name)
		       ? "inout"
		       : "out";
}

/* Names become identifiers of formulas, of C and of the kernel's language. */
static enum asc_status check_names(struct draft *d, struct asc_err *e)
{
	for (size_t i = 0; i < d->kernel->n_parameters; i++) {
		const struct capture_parameter *p = &d->kernel->parameters[i];
		struct asc_err why;

		if (identifier_check(p->name, p->is_constexpr, &why))
			return give_up(d, e, "an argument: %s", why.text);
	}
	return ASC_OK;
}

static enum asc_status check_argument(struct draft *d, const struct capture_argument *a,
				      struct asc_err *e)
{
	enum dtype dtype;

	if (a->kind == CAPTURED_OTHER)
		return give_up(d, e, "its argument %s is neither a tensor nor a number", a->name);
	if (!is_tensor(a))
		return ASC_OK;
	if (a->padded)
		return give_up(d, e, "its descriptor %s pads by something else than zeros",
			       a->name);
	if (a->rank > WORKLOAD_MAX_RANK)
		return give_up(d, e, "%s has %zu dimensions, at most %d are taken", a->name,
			       a->rank, WORKLOAD_MAX_RANK);
	if (!dtype_parse(a->type, &dtype))
		return give_up(d, e,
			       "%s has elements of type %s, which no tensor of a workload "
			       "has",
			       a->name, a->type);
	if (a->offset % (int64_t)dtype_bytes(dtype) != 0)
		return give_up(d, e, "%s begins between two elements of its memory", a->name);
	for (size_t i = 0; i < a->rank; i++) {
		if (a->shape[i] <= 0)
			return give_up(d, e, "%s has no elements", a->name);
		if (a->strides[i] < 0)
			return give_up(d, e, "%s runs backwards through its memory", a->name);
	}
	return ASC_OK;
}

static enum asc_status check_problem(struct draft *d, const struct capture_problem *p,
				     struct asc_err *e)
{
	if (p->n_arguments > WORKLOAD_MAX_ARGUMENTS)
		return give_up(d, e, "it takes %zu arguments, at most %d are taken", p->n_arguments,
			       WORKLOAD_MAX_ARGUMENTS);
	for (size_t i = 0; i < p->n_arguments; i++)
		if (check_argument(d, &p->arguments[i], e))
			return e->status;
	return ASC_OK;
}

/* ---- parameters ---- */

/* Options of the compiler that each launch has, with Triton's values for what a configuration does
 * not say. */
static const struct {
	const char *name;
	struct value value;
} defaults[] = {{"num_warps", {VALUE_INT, {.i = 4}}},
		{"num_stages", {VALUE_INT, {.i = 3}}},
		{"num_ctas", {VALUE_INT, {.i = 1}}},
		{"maxnreg", {VALUE_INT, {.i = 0}}},
		{"enable_fp_fusion", {VALUE_BOOL, {.i = true}}},
		{"launch_pdl", {VALUE_BOOL, {.i = false}}},
		{"launch_cooperative_grid", {VALUE_BOOL, {.i = false}}}};

static bool find_default(const char *name, struct value *out)
{
	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
		if (strcmp(defaults[i].name, name) == 0) {
			*out = defaults[i].value;
			return true;
		}
	return false;
}

static struct tuned *find_tuned(const struct draft *d, const char *name)
{
	for (size_t i = 0; i < d->n_parameters; i++)
		if (strcmp(d->parameters[i].name, name) == 0)
			return &d->parameters[i];
	return NULL;
}

/* The value of a parameter in a configuration of a problem, {NAME: VALUE, ...}: an option that it
 * leaves open is the caller's. */
static enum asc_status get_setting(struct draft *d, const struct capture_problem *p,
				   const struct json_node *config, const char *name,
				   struct value *out, struct asc_err *e)
{
	const struct json_node *n = json_find(config, name);
	struct asc_err why;

	n = n ? n : json_find(json_find(p->node, "options"), name);

	/* maxnreg is None where there is no limit. */
	if (!n || json_type(n) == JSON_NULL) {
		if (find_default(name, out))
			return ASC_OK;
		return give_up(d, e, "a configuration of its list has no %s", name);
	}
	if (json_get_choice(n, out, &why) == ASC_OK)
		return ASC_OK;
	return why.status == ASC_NOMEM ? (*e = why, e->status)
				       : give_up(d, e,
						 "%s of a configuration is no number and no "
						 "plain text",
						 name);
}

static enum asc_status add_setting(struct draft *d, const char *name, struct value v,
				   struct asc_err *e)
{
	struct tuned *t = find_tuned(d, name);

	if (!t) {
		if (d->n_parameters == CONFIG_MAX_PARAMETERS)
			return give_up(d, e, "its configurations have more than %d parameters",
				       CONFIG_MAX_PARAMETERS);
		if (!array_room(&d->parameters, d->n_parameters, &d->parameters_capacity,
				sizeof *d->parameters))
			return asc_err_nomem(e);
		t = &d->parameters[d->n_parameters++];
		*t = (struct tuned){.name = name};
	}
	for (size_t i = 0; i < t->n; i++)
		if (value_equal(t->values[i], v))
			return ASC_OK;
	if (!array_room(&t->values, t->n, &t->capacity, sizeof *t->values))
		return asc_err_nomem(e);
	t->values[t->n++] = v;
	return ASC_OK;
}

static enum asc_status add_config(struct draft *d, const struct capture_problem *p,
				  const struct json_node *config, struct asc_err *e)
{
	for (const struct json_node *n = json_first(config); n; n = json_next(n)) {
		struct value v;

		if (get_setting(d, p, config, json_key(n), &v, e) ||
		    add_setting(d, json_key(n), v, e))
			return e->status;
	}
	return ASC_OK;
}

/* Finds the parameters with their values: those of the autotuner's list, of the launches, and what
 * was worked out beyond the list. Without an autotuner warps and stages are tuned, which change
 * nothing but the code. */
static enum asc_status find_parameters(struct draft *d, struct asc_err *e)
{
	static const int64_t warps[] = {1, 2, 4, 8, 16}, stages[] = {1, 2, 3, 4, 5};

	for (const struct json_node *n = json_first(json_find(d->kernel->tuner, "configs")); n;
	     n = json_next(n))
		if (add_config(d, d->p[0], n, e))
			return e->status;
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_problem *p = d->p[k];
		const struct json_node *widened = json_find(p->node, "widened");
		const struct json_node *options = json_find(p->node, "options");

		if (add_config(d, p, json_find(p->node, "configuration"), e))
			return e->status;
		for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
			struct value v;

			if (json_find(options, defaults[i].name) &&
			    (get_setting(d, p, options, defaults[i].name, &v, e) ||
			     add_setting(d, defaults[i].name, v, e)))
				return e->status;
		}
		for (const struct json_node *n = json_first(widened); n; n = json_next(n))
			for (const struct json_node *i = json_first(n); i; i = json_next(i)) {
				struct value v;

				if (json_get_choice(i, &v, e) == ASC_NOMEM)
					return e->status;
				if (json_get_choice(i, &v, e) == ASC_OK &&
				    add_setting(d, json_key(n), v, e))
					return e->status;
			}
	}
	for (size_t i = 0; !d->kernel->tuner && i < sizeof warps / sizeof *warps; i++)
		if (add_setting(d, "num_warps", value_int(warps[i]), e))
			return e->status;
	for (size_t i = 0; !d->kernel->tuner && i < sizeof stages / sizeof *stages; i++)
		if (add_setting(d, "num_stages", value_int(stages[i]), e))
			return e->status;
	/* Launches that leave an option open have Triton's own value. */
	for (size_t k = 0; k < d->n; k++)
		for (size_t i = 0; i < d->n_parameters; i++) {
			struct value v;

			if (get_setting(d, d->p[k], json_find(d->p[k]->node, "configuration"),
					d->parameters[i].name, &v, e) ||
			    add_setting(d, d->parameters[i].name, v, e))
				return e->status;
		}
	/* One value that is Triton's own says nothing. */
	for (size_t i = d->n_parameters; i-- > 0;) {
		struct tuned *t = &d->parameters[i];
		struct value v;

		if (t->n == 1 && find_default(t->name, &v) && value_equal(v, t->values[0])) {
			free(t->values);
			d->n_parameters--;
			memmove(t, t + 1, (d->n_parameters - i) * sizeof *t);
		}
	}
	return ASC_OK;
}

static int compare_values(const void *a, const void *b)
{
	return value_order(*(const struct value *)a, *(const struct value *)b);
}

/* Writes the parameters; what the first problem was launched with is the default of sizes that
 * nobody has seen. */
static enum asc_status write_parameters(struct draft *d, struct asc_err *e)
{
	const struct json_node *config = json_find(d->p[0]->node, "configuration");

	json_write_begin(&d->w, "parameters", '{');
	for (size_t i = 0; i < d->n_parameters; i++) {
		const struct tuned *t = &d->parameters[i];
		struct value launched;

		if (get_setting(d, d->p[0], config, t->name, &launched, e))
			return e->status;
		qsort(t->values, t->n, sizeof *t->values, compare_values);
		const bool first = value_equal(launched, t->values[0]);

		/* A list alone has its first value as the default. */
		if (!first)
			json_write_begin(&d->w, t->name, '{');
		json_write_begin(&d->w, first ? t->name : "values", '[');
		for (size_t k = 0; k < t->n; k++)
			json_write_value(&d->w, NULL, t->values[k]);
		json_write_end(&d->w, ']');
		if (!first) {
			json_write_value(&d->w, "default", launched);
			json_write_end(&d->w, '}');
		}
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* The configuration that the program launched a problem with. */
static enum asc_status write_default(struct draft *d, const struct capture_problem *p,
				     struct asc_err *e)
{
	const struct json_node *config = json_find(p->node, "configuration");

	if (d->n_parameters == 0)
		return ASC_OK;
	json_write_begin(&d->w, "default", '{');
	for (size_t i = 0; i < d->n_parameters; i++) {
		struct value v;

		if (get_setting(d, p, config, d->parameters[i].name, &v, e))
			return e->status;
		json_write_value(&d->w, d->parameters[i].name, v);
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* ---- tables ---- */

/* Reads the recorder's table of each problem; `axis` is the element of values that are lists, or
 * -1. */
static enum asc_status gather_rows(struct draft *d, struct capture_table *t,
				   const struct json_node *const *tables, int axis,
				   struct asc_err *e)
{
	struct value cells[CAPTURE_MAX_COLUMNS];

	t->columns[t->n_columns++] = "problem";
	for (const struct json_node *n = json_first(json_find(tables[0], "by")); n;
	     n = json_next(n))
		if (t->n_columns == CAPTURE_MAX_COLUMNS ||
		    json_get_string(n, &t->columns[t->n_columns++], e))
			return give_up(d, e, "a table of it depends on too much");
	for (size_t k = 0; k < d->n; k++)
		for (const struct json_node *row = json_first(json_find(tables[k], "rows")); row;
		     row = json_next(row)) {
			const struct json_node *n = json_first(row);

			cells[0] = value_int((int64_t)k);
			for (size_t i = 1; i < t->n_columns && n; i++, n = json_next(n))
				if (json_type(n) == JSON_NULL) {
					if (!find_default(t->columns[i], &cells[i]))
						return give_up(d, e, "%s may be None",
							       t->columns[i]);
				} else if (json_get_choice(n, &cells[i], e)) {
					return e->status == ASC_NOMEM
						       ? e->status
						       : give_up(d, e, "%s: %s", t->columns[i],
								 e->text);
				}
			if (n && axis >= 0) {
				n = json_first(n);
				for (int i = 0; i < axis && n; i++)
					n = json_next(n);
			}
			if (!n)
				return json_fail(row, e, "has no value");
			if (capture_table_add(t, &d->arena, cells, n, e))
				return e->status;
		}
	if (t->n_rows == 0)
		return give_up(d, e, "a value of its launches was not recorded");
	return capture_table_shrink(t, e) ? give_up(d, e, "%s", e->text) : ASC_OK;
}

/* Makes a member of "tables". */
static void add_table(struct draft *d, const char *name, const struct capture_table *t,
		      bool only_listed)
{
	json_write_begin(&d->tables_writer, name, '{');
	capture_table_write(t, &d->tables_writer);
	if (only_listed)
		json_write_bool(&d->tables_writer, "otherwise", false);
	json_write_end(&d->tables_writer, '}');
	d->n_tables++;
}

/* Writes a formula of an integer: a number, a dimension, a parameter, or a table of that name. */
static enum asc_status write_formula(struct draft *d, const char *key, const char *wanted,
				     const struct json_node *const *tables, int axis,
				     struct asc_err *e)
{
	struct capture_table t = {0};
	enum asc_status s = gather_rows(d, &t, tables, axis, e);
	struct value *values = new_values(d);
	struct value v;

	if (!values && s == ASC_OK)
		s = asc_err_nomem(e);
	for (size_t i = 0; i < t.n_rows && s == ASC_OK; i++)
		if (json_get_size(t.rows[i].node, &v.i, e))
			s = give_up(d, e, "%s", e->text);
	if (s == ASC_OK && t.n_needs == 0) {
		json_write_node(&d->w, key, t.rows[0].node);
	} else if (s == ASC_OK && t.n_needs == 1 && t.needs[0]) {
		for (size_t i = 0; i < t.n_rows; i++) {
			v.kind = VALUE_INT;
			(void)json_get_size(t.rows[i].node, &v.i, e);
			values[t.rows[i].cells[0].i] = v;
		}
		s = write_number(d, key, wanted, values, e);
	} else if (s == ASC_OK) {
		const char *name = make_name(d, wanted);

		s = name ? ASC_OK : asc_err_nomem(e);
		json_write_string(&d->w, key, name);
		if (name)
			add_table(d, name, &t, false);
	}
	capture_table_fini(&t);
	return s;
}

/* ---- constants ---- */

/* Writes a value that is the same in all launches. */
static enum asc_status write_literal(struct draft *d, const char *key, const struct json_node *n,
				     struct asc_err *e)
{
	const char *text = NULL;
	struct buf quoted = {0};

	if (json_type(n) != JSON_STRING) {
		json_write_node(&d->w, key, n);
		return ASC_OK;
	}
	if (json_get_string(n, &text, e))
		return e->status;
	buf_print(&quoted, "'%s'", text);
	json_write_string(&d->w, key, buf_str(&quoted));
	const enum asc_status s = buf_check(&quoted, e);

	buf_fini(&quoted);
	return s;
}

/* Refuses what no constant of a workload can be. */
static enum asc_status check_constant(struct draft *d, const char *name, const struct json_node *n,
				      struct asc_err *e)
{
	const char *text = NULL;
	enum dtype dtype;
	struct asc_err why;

	if (json_type(n) == JSON_OBJECT) {
		if (json_get_string(json_find(n, "dtype"), &text, &why) == ASC_OK &&
		    dtype_parse(text, &dtype))
			return ASC_OK;
		return give_up(d, e, "its constant %s is no type that a workload has%s%s", name,
			       text ? ": " : "", text ? text : "");
	}
	if (json_type(n) == JSON_STRING && json_get_string(n, &text, &why) == ASC_OK &&
	    !value_text_check(text, strlen(text)))
		return give_up(d, e,
			       "its constant %s is the text \"%s\", which formulas do not "
			       "take",
			       name, text);
	if (json_type(n) == JSON_ARRAY)
		return give_up(d, e, "its constant %s is a list", name);
	return ASC_OK;
}

static enum asc_status write_constant(struct draft *d, const char *name,
				      const struct json_node *const *tables, struct asc_err *e)
{
	struct capture_table t = {0};
	struct value *values = new_values(d);
	enum asc_status s = gather_rows(d, &t, tables, -1, e);
	bool integers = t.n_needs == 1 && t.needs[0];
	const char *dimension = NULL;

	if (!values && s == ASC_OK)
		s = asc_err_nomem(e);
	for (size_t i = 0; i < t.n_rows && s == ASC_OK; i++) {
		const struct json_node *n = t.rows[i].node;

		s = check_constant(d, name, n, e);
		integers = integers && json_type(n) == JSON_INT;
		if (integers)
			(void)json_get_value(n, &values[t.rows[i].cells[0].i], e);
	}
	if (s == ASC_OK && integers)
		dimension = find_dimension(d, values);
	if (s == ASC_OK && t.n_needs == 0) {
		s = write_literal(d, name, t.rows[0].node, e);
	} else if (s == ASC_OK && dimension) {
		json_write_string(&d->w, name, dimension);
	} else if (s == ASC_OK) {
		json_write_begin(&d->w, name, '{');
		json_write_string(&d->w, "table", name);
		json_write_end(&d->w, '}');
		add_table(d, name, &t, false);
	}
	capture_table_fini(&t);
	return s;
}

/* Nodes of one member of all problems' lines: MEMBER, or MEMBER.NAME; NULL: one lacks it. */
static const struct json_node *const *find_tables(struct draft *d, const char *member,
						  const char *name)
{
	const struct json_node **list = arena_alloc(&d->arena, d->n * sizeof *list);

	for (size_t k = 0; list && k < d->n; k++) {
		list[k] = json_find(d->p[k]->node, member);
		if (name)
			list[k] = json_find(list[k], name);
		if (!list[k])
			return NULL;
	}
	return list;
}

static enum asc_status write_constants(struct draft *d, struct asc_err *e)
{
	json_write_begin(&d->w, "constants", '{');
	for (size_t i = 0; i < d->kernel->n_parameters; i++) {
		const struct capture_parameter *p = &d->kernel->parameters[i];
		const struct json_node *const *tables;
		struct value v;

		if (!p->is_constexpr || find_tuned(d, p->name))
			continue;
		tables = find_tables(d, "constants", p->name);
		/* An option that has Triton's own value is no parameter, but may be an argument. */
		if (!tables && find_default(p->name, &v))
			json_write_value(&d->w, p->name, v);
		else if (!tables)
			return give_up(d, e, "its constant %s was not recorded", p->name);
		else if (write_constant(d, p->name, tables, e))
			return e->status;
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* ---- tensors ---- */

static bool has_name(const struct json_node *list, const char *name)
{
	const char *text = NULL;
	struct asc_err none;

	for (const struct json_node *n = json_first(list); n; n = json_next(n))
		if (json_get_string(n, &text, &none) == ASC_OK && strcmp(text, name) == 0)
			return true;
	return false;
}

/* True for a tensor whose content every problem has in a file: problems of one form have the same.
 */
static bool is_saved(const struct draft *d, size_t argument)
{
	const struct capture_problem *p = d->p[0];

	return p->n_sets > 0 && p->sets[0].file &&
	       has_name(p->sets[0].before, p->arguments[argument].name);
}

/* Low, high, mean and deviation of a tensor that no file has; false: not recorded. */
static bool get_range(const struct capture_problem *p, const char *name, double out[4])
{
	const struct json_node *n = p->n_sets > 0 ? json_find(p->sets[0].ranges, name) : NULL;
	struct asc_err none;
	size_t i = 0;

	for (n = json_first(n); n && i < 4; n = json_next(n)) {
		struct value v;

		if (json_get_value(n, &v, &none))
			return false;
		out[i++] = value_as_real(v);
	}
	return i == 4;
}

/* Root mean square of an output where the launch has changed it: what it left alone may be anything
 * that the memory had. */
static enum asc_status read_rms(const struct capture *c, const char *file, const char *name,
				double *out, struct asc_err *e)
{
	char *path = path_join(c->folder, file), *after_name = str_print("%s:out", name);
	struct tensor_file *f = NULL;
	const struct tensor_member *before, *after;
	enum asc_status s = path && after_name ? tensor_file_open(path, &f, e) : asc_err_nomem(e);
	double sum = 0, all = 0, *numbers = NULL;
	char *old = NULL, *new = NULL;
	int64_t changed = 0, n = 0;

	before = s == ASC_OK ? tensor_file_find(f, name) : NULL;
	after = s == ASC_OK ? tensor_file_find(f, after_name) : NULL;
	/* An output that no launch has changed is its content before. */
	after = after ? after : before;
	if (s == ASC_OK && after && after->known && after->count > 0) {
		const size_t bytes = dtype_bytes(after->dtype);
		const bool both = before && before != after && before->bytes == after->bytes;

		numbers = calloc((size_t)after->count, sizeof *numbers);
		new = malloc((size_t)after->bytes);
		old = both ? malloc((size_t)after->bytes) : NULL;
		s = numbers && new && (old || !both) ? ASC_OK : asc_err_nomem(e);
		if (s == ASC_OK)
			s = tensor_file_read(f, after, new, NULL, e);
		if (s == ASC_OK && both)
			s = tensor_file_read(f, before, old, NULL, e);
		if (s == ASC_OK)
			dtype_to_double(after->dtype, new, numbers, (size_t)after->count);
		for (int64_t i = 0; i < after->count && s == ASC_OK; i++) {
			const size_t at = (size_t)i * bytes;

			if (!isfinite(numbers[i]))
				continue;
			all += numbers[i] * numbers[i];
			n++;
			if (!both || memcmp(old + at, new + at, bytes) == 0)
				continue;
			sum += numbers[i] * numbers[i];
			changed++;
		}
	}
	*out = changed > 0 ? sqrt(sum / (double)changed) : n > 0 ? sqrt(all / (double)n) : 0;
	free(numbers);
	free(old);
	free(new);
	tensor_file_close(f);
	free(path);
	free(after_name);
	return s;
}

/* Parts of an output's root mean square by which two right configurations may differ: some five
 * roundings of the coarsest type that a kernel reads or writes, 2^-8 of bf16 and 2^-11 of f16; for
 * f32 two of the 2^-11 of products in tf32. */
static double type_factor(enum dtype t)
{
	switch (t) {
	case DTYPE_BF16: return 2e-2;
	case DTYPE_F16: return 2.5e-3;
	case DTYPE_F32: return 1e-3;
	default: return 1e-9;
	}
}

static double problem_factor(const struct capture_problem *p)
{
	double factor = 0;
	enum dtype dtype;

	for (size_t i = 0; i < p->n_arguments; i++)
		if (is_tensor(&p->arguments[i]) && dtype_parse(p->arguments[i].type, &dtype) &&
		    dtype_is_float(dtype))
			factor = fmax(factor, type_factor(dtype));
	return factor;
}

/* Two digits are enough for a tolerance, and can be read. */
static double shorten(double x)
{
	char text[32];

	snprintf(text, sizeof text, "%.2g", x);
	return strtod(text, NULL);
}

static enum asc_status write_verify(struct draft *d, size_t argument, struct asc_err *e)
{
	const char *name = d->p[0]->arguments[argument].name;
	struct value *atol = new_values(d), *rtol = new_values(d);
	bool seen[DTYPE_COUNT] = {false};
	char wanted[2 * MAX_NAME];
	enum dtype dtype = DTYPE_F32;

	if (!atol || !rtol)
		return asc_err_nomem(e);
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_problem *p = d->p[k];
		const double factor = problem_factor(p);
		char *after = str_print("%s:out", name);
		double range[4], rms = 1; /* where nothing is known of the output */

		if (!after)
			return asc_err_nomem(e);
		if (is_saved(d, argument)) {
			if (read_rms(d->c, p->sets[0].file, name, &rms, e)) {
				free(after);
				return e->status == ASC_NOMEM ? e->status
							      : give_up(d, e, "%s", e->text);
			}
		} else if (get_range(p, after, range)) {
			rms = hypot(range[2], range[3]);
		}
		free(after);
		atol[k] = value_real(shorten(factor * rms));
		rtol[k] = value_real(factor);
	}
	json_write_begin(&d->w, "verify", '{');
	json_write_string(&d->w, "kind", "allclose");
	json_write_begin(&d->w, "tolerance", '{');
	for (size_t k = 0; k < d->n; k++) {
		if (!dtype_parse(d->p[k]->arguments[argument].type, &dtype) || seen[dtype])
			continue;
		seen[dtype] = true;
		json_write_begin(&d->w, dtype_name(dtype), '{');
		snprintf(wanted, sizeof wanted, "atol_%.*s", MAX_NAME, name);
		if (write_number(d, "atol", wanted, atol, e))
			return e->status;
		snprintf(wanted, sizeof wanted, "rtol_%.*s", MAX_NAME, name);
		if (write_number(d, "rtol", wanted, rtol, e))
			return e->status;
		json_write_end(&d->w, '}');
	}
	json_write_end(&d->w, '}');
	json_write_end(&d->w, '}');
	return ASC_OK;
}

static enum asc_status write_fill(struct draft *d, size_t argument, bool real, struct asc_err *e)
{
	static const char *const keys[2][2] = {{"low", "high"}, {"mean", "std"}};
	const struct capture_argument *a = &d->p[0]->arguments[argument];
	struct value *one = new_values(d), *two = new_values(d);
	char wanted[2 * MAX_NAME];

	if (!one || !two)
		return asc_err_nomem(e);
	for (size_t k = 0; k < d->n && !is_saved(d, argument); k++) {
		double range[4];

		if (!get_range(d->p[k], a->name, range)) {
			/* Any numbers do for a time, but integers may be places in a tensor. */
			if (!real)
				return give_up(d, e, "the content of %s was not saved", a->name);
			return ASC_OK;
		}
		one[k] = real ? value_real(range[2]) : value_int((int64_t)range[0]);
		/* The bound above is not reached. */
		two[k] = real ? value_real(range[3]) : value_int((int64_t)range[1] + 1);
	}
	json_write_begin(&d->w, "fill", '{');
	if (is_saved(d, argument)) {
		json_write_string(&d->w, "kind", "file");
	} else {
		json_write_string(&d->w, "kind", real ? "normal" : "uniform");
		snprintf(wanted, sizeof wanted, "%s_%.*s", keys[real][0], MAX_NAME, a->name);
		if (write_number(d, keys[real][0], wanted, one, e))
			return e->status;
		snprintf(wanted, sizeof wanted, "%s_%.*s", keys[real][1], MAX_NAME, a->name);
		if (write_number(d, keys[real][1], wanted, two, e))
			return e->status;
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

static bool is_contiguous(const struct capture_argument *a)
{
	int64_t stride = 1;

	for (size_t i = a->rank; i-- > 0; stride *= a->shape[i])
		if (a->shape[i] != 1 && a->strides[i] != stride)
			return false;
	return true;
}

/* True where two elements may lie in one place: some stride does not step over all that the smaller
 * ones reach. */
static bool may_overlap(const struct capture_argument *a)
{
	int64_t reach = 0, next;
	bool done[WORKLOAD_MAX_RANK] = {false};

	for (size_t n = 0; n < a->rank; n++) {
		size_t least = a->rank;

		for (size_t i = 0; i < a->rank; i++)
			if (!done[i] && (least == a->rank || a->strides[i] < a->strides[least]))
				least = i;
		done[least] = true;
		if (a->shape[least] == 1)
			continue;
		if (a->strides[least] <= reach ||
		    __builtin_mul_overflow(a->strides[least], a->shape[least] - 1, &next) ||
		    __builtin_add_overflow(reach, next, &reach))
			return true;
	}
	return false;
}

/* Strides, place and owner of a view. */
static enum asc_status write_view(struct draft *d, size_t argument, bool written, struct asc_err *e)
{
	const struct capture_argument *first = &d->p[0]->arguments[argument];
	struct value *values = new_values(d);
	bool contiguous = true, begins = true;
	char wanted[2 * MAX_NAME];
	enum dtype dtype = DTYPE_F32;
	size_t owner = 0;

	if (!values)
		return asc_err_nomem(e);
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_argument *a = &d->p[k]->arguments[argument];

		contiguous &= is_contiguous(a);
		begins &= a->offset == 0;
		if (written && may_overlap(a))
			return give_up(d, e, "its output %s has elements in one place", a->name);
	}
	if (!contiguous) {
		json_write_begin(&d->w, "strides", '[');
		for (size_t i = 0; i < first->rank; i++) {
			for (size_t k = 0; k < d->n; k++)
				values[k] = value_int(d->p[k]->arguments[argument].strides[i]);
			snprintf(wanted, sizeof wanted, "t_%.*s_%zu", MAX_NAME, first->name, i);
			if (write_number(d, NULL, wanted, values, e))
				return e->status;
		}
		json_write_end(&d->w, ']');
	}
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_argument *a = &d->p[k]->arguments[argument];

		(void)dtype_parse(a->type, &dtype);
		values[k] = value_int(a->offset / (int64_t)dtype_bytes(dtype));
	}
	snprintf(wanted, sizeof wanted, "o_%.*s", MAX_NAME, first->name);
	if (!begins && write_number(d, "offset", wanted, values, e))
		return e->status;
	while (!is_tensor(&d->p[0]->arguments[owner]) ||
	       d->p[0]->arguments[owner].storage != first->storage)
		owner++;
	if (owner != argument)
		json_write_string(&d->w, "shares", d->p[0]->arguments[owner].name);
	return ASC_OK;
}

static enum asc_status write_tensor(struct draft *d, size_t argument, struct asc_err *e)
{
	const struct capture_argument *a = &d->p[0]->arguments[argument];
	const char *role = find_role(d, argument), *type;
	struct value *values = new_values(d);
	char wanted[2 * MAX_NAME];
	enum dtype dtype = DTYPE_F32;

	json_write_begin(&d->w, a->name, '{');
	json_write_begin(&d->w, "shape", '[');
	for (size_t i = 0; i < a->rank && values; i++) {
		for (size_t k = 0; k < d->n; k++)
			values[k] = value_int(d->p[k]->arguments[argument].shape[i]);
		snprintf(wanted, sizeof wanted, "s_%.*s_%zu", MAX_NAME, a->name, i);
		if (write_number(d, NULL, wanted, values, e))
			return e->status;
	}
	/* None in the place of a tensor is a tensor that is absent. */
	if (a->kind == CAPTURED_NONE)
		json_write_int(&d->w, NULL, 1);
	json_write_end(&d->w, ']');
	type = a->kind == CAPTURED_NONE ? "f32" : name_type(d, argument);
	if (!values || !type)
		return asc_err_nomem(e);
	json_write_string(&d->w, "dtype", type);
	json_write_string(&d->w, "role", role);
	if (a->kind == CAPTURED_NONE) {
		json_write_int(&d->w, "optional", 0);
	} else {
		(void)dtype_parse(a->type, &dtype);
		if (write_view(d, argument, strcmp(role, "in") != 0, e))
			return e->status;
		if (strcmp(role, "out") != 0 && write_fill(d, argument, dtype_is_float(dtype), e))
			return e->status;
		if (strcmp(role, "in") != 0 && dtype_is_float(dtype) &&
		    write_verify(d, argument, e))
			return e->status;
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* ---- arguments ---- */

static const char *find_annotation(const struct draft *d, const char *name)
{
	for (size_t i = 0; i < d->kernel->n_parameters; i++)
		if (strcmp(d->kernel->parameters[i].name, name) == 0)
			return d->kernel->parameters[i].annotation;
	return NULL;
}

/* The type that a number has in the kernel: the one that it is annotated with, else Triton's for
 * such a value. */
static const char *scalar_type(const struct draft *d, const struct capture_argument *a)
{
	const char *annotation = find_annotation(d, a->name), *dot;
	enum dtype dtype;

	dot = annotation ? strrchr(annotation, '.') : NULL;
	annotation = dot ? dot + 1 : annotation;
	if (annotation && dtype_parse(annotation, &dtype))
		return dtype_name(dtype);
	if (annotation && dtype_means(annotation))
		return dtype_means(annotation);
	if (a->kind == CAPTURED_INT)
		return a->value.i >= INT32_MIN && a->value.i <= INT32_MAX ? "i32" : "i64";
	return a->kind == CAPTURED_REAL ? "f32" : "bool";
}

static enum asc_status write_argument(struct draft *d, size_t argument, struct asc_err *e)
{
	const struct capture_argument *a = &d->p[0]->arguments[argument];
	char wanted[2 * MAX_NAME];

	json_write_begin(&d->w, NULL, '{');
	if (a->kind == CAPTURED_TENSOR || a->kind == CAPTURED_NONE) {
		json_write_string(&d->w, "tensor", a->name);
	} else if (a->kind == CAPTURED_DESCRIPTOR) {
		const struct json_node *const *boxes = find_tables(d, "boxes", a->name);

		if (!boxes)
			return give_up(d, e, "the block of its descriptor %s was not recorded",
				       a->name);
		json_write_begin(&d->w, "tensor_map", '{');
		json_write_string(&d->w, "tensor", a->name);
		json_write_begin(&d->w, "box", '[');
		for (size_t i = 0; i < a->rank; i++) {
			snprintf(wanted, sizeof wanted, "box_%.*s_%zu", MAX_NAME, a->name, i);
			if (write_formula(d, NULL, wanted, boxes, (int)i, e))
				return e->status;
		}
		json_write_end(&d->w, ']');
		json_write_end(&d->w, '}');
	} else {
		struct value *values = new_values(d);

		if (!values)
			return asc_err_nomem(e);
		for (size_t k = 0; k < d->n; k++) {
			values[k] = d->p[k]->arguments[argument].value;
			/* A formula has no literal of a truth value. */
			if (values[k].kind == VALUE_BOOL)
				values[k].kind = VALUE_INT;
		}
		snprintf(wanted, sizeof wanted, "%.*s_", MAX_NAME, a->name);
		if (write_number(d, "scalar", wanted, values, e))
			return e->status;
		json_write_string(&d->w, "type", scalar_type(d, a));
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* ---- the implementation ---- */

/* Adds a row for a configuration of problem number `k` to both tables. */
static enum asc_status add_listed(struct draft *d, struct capture_table tables[2], size_t k,
				  const struct json_node *config, struct asc_err *e)
{
	struct value cells[CAPTURE_MAX_COLUMNS] = {value_int((int64_t)k)};

	for (size_t i = 0; i < d->n_parameters; i++)
		if (get_setting(d, d->p[k], config, d->parameters[i].name, &cells[i + 1], e))
			return e->status;
	if (capture_table_add(&tables[0], &d->arena, cells, NULL, e))
		return e->status;
	return capture_table_add(&tables[1], &d->arena, cells, NULL, e);
}

/* Adds what pruning has left of the list for a problem, and what was launched: a library's own
 * table may have that. */
static enum asc_status add_list(struct draft *d, struct capture_table tables[2], size_t k,
				struct asc_err *e)
{
	const struct json_node *configs = json_find(d->kernel->tuner, "configs");
	const struct json_node *listed = json_find(d->p[k]->node, "listed");
	const size_t n = json_count(configs);
	bool *kept = arena_alloc(&d->arena, n + 1);
	size_t at = 0;

	if (!kept)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(listed); i; i = json_next(i)) {
		int64_t index;

		if (json_get_int(i, &index, e))
			return e->status;
		if (index >= 0 && (size_t)index < n)
			kept[index] = true;
	}
	for (const struct json_node *i = json_first(configs); i; i = json_next(i), at++)
		if ((json_type(listed) != JSON_ARRAY || kept[at]) && add_listed(d, tables, k, i, e))
			return e->status;
	return add_listed(d, tables, k, json_find(d->p[k]->node, "configuration"), e);
}

/* Writes what keeps the space to the autotuner's list: a table with a row for each of its
 * configurations. Where values beyond the list were asked for, these are tried first. */
static enum asc_status write_list(struct draft *d, struct asc_err *e)
{
	struct capture_table tables[2] = {0}; /* with the problem, without */
	enum asc_status s = ASC_OK;
	double combinations = 1;
	bool widened = false;

	for (size_t k = 0; k < 2; k++) {
		struct capture_table *t = &tables[k];

		t->columns[t->n_columns++] = "problem";
		t->needs[0] = k == 0;
		for (size_t i = 0; i < d->n_parameters; i++) {
			t->needs[t->n_columns] = true;
			t->columns[t->n_columns++] = d->parameters[i].name;
		}
		t->n_needs = t->n_columns;
	}
	for (size_t i = 0; i < d->n_parameters; i++)
		combinations *= (double)d->parameters[i].n;
	for (size_t k = 0; k < d->n && s == ASC_OK; k++) {
		const struct json_node *beyond = json_find(d->p[k]->node, "widened");

		widened |= beyond && json_type(beyond) == JSON_OBJECT;
		s = add_list(d, tables, k, e);
	}
	if (s == ASC_OK) {
		capture_table_order(&tables[0]);
		capture_table_order(&tables[1]);
		/* Each problem's list is a part of all: with as many rows they are the same. */
		const bool same = tables[0].n_rows == tables[1].n_rows * d->n;

		if (!same || (double)tables[1].n_rows < combinations) {
			add_table(d, "listed", &tables[same], true);
			if (widened) {
				json_write_string(&d->w, "first", "listed");
			} else {
				json_write_begin(&d->w, "constraints", '[');
				json_write_string(&d->w, NULL, "listed");
				json_write_end(&d->w, ']');
			}
		}
	}
	capture_table_fini(&tables[0]);
	capture_table_fini(&tables[1]);
	return s;
}

static enum asc_status write_grid(struct draft *d, struct asc_err *e)
{
	static const char *const axes[] = {"grid_x", "grid_y", "grid_z"};
	const struct json_node *const *grids = find_tables(d, "grid", NULL);

	if (!grids)
		return give_up(d, e, "its grid was not recorded");
	json_write_begin(&d->w, "launch", '{');
	json_write_begin(&d->w, "grid", '[');
	for (int axis = 0; axis < 3; axis++)
		if (write_formula(d, NULL, axes[axis], grids, axis, e))
			return e->status;
	json_write_end(&d->w, ']');
	json_write_end(&d->w, '}');
	return ASC_OK;
}

static enum asc_status write_implementation(struct draft *d, struct asc_err *e)
{
	json_write_begin(&d->w, "implementations", '[');
	json_write_begin(&d->w, NULL, '{');
	json_write_string(&d->w, "name", "triton");
	json_write_begin(&d->w, "devices", '[');
	json_write_string(&d->w, NULL, "cuda");
	json_write_end(&d->w, ']');
	json_write_string(&d->w, "builder", "triton");
	json_write_string(&d->w, "source", d->kernel->source);
	json_write_string(&d->w, "entry", d->kernel->entry);
	if (write_parameters(d, e) || (d->kernel->tuner && write_list(d, e)) || write_grid(d, e))
		return e->status;
	json_write_begin(&d->w, "arguments", '[');
	for (size_t i = 0; i < d->p[0]->n_arguments; i++)
		if (write_argument(d, i, e))
			return e->status;
	json_write_end(&d->w, ']');
	if (write_constants(d, e))
		return e->status;
	if (d->n_tables > 0) {
		struct json_doc *doc = NULL;

		json_write_end(&d->tables_writer, '}');
		if (buf_check(&d->tables, e) ||
		    json_open_text("tables", buf_str(&d->tables), d->tables.len, &doc, e))
			return e->status;
		json_write_node(&d->w, "tables", json_root(doc));
		json_close(doc);
	}
	json_write_end(&d->w, '}');
	json_write_end(&d->w, ']');
	return ASC_OK;
}

/* ---- problems ---- */

/* True for a set that has all tensors whose content comes from files. */
static bool is_whole(const struct draft *d, const struct capture_problem *p,
		     const struct capture_set *set)
{
	for (size_t i = 0; i < p->n_arguments && set->file; i++)
		if (is_tensor(&p->arguments[i]) && strcmp(find_role(d, i), "out") != 0 &&
		    is_saved(d, i) && !has_name(set->before, p->arguments[i].name))
			return false;
	return set->file != NULL;
}

static enum asc_status write_problems(struct draft *d, struct asc_err *e)
{
	char name[32];

	json_write_begin(&d->w, "problems", '[');
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_problem *p = d->p[k];
		bool any = false;

		json_write_begin(&d->w, NULL, '{');
		snprintf(name, sizeof name, "p%zu", k);
		json_write_string(&d->w, "name", name);
		json_write_begin(&d->w, "dims", '{');
		for (size_t i = 0; i < d->n_dims; i++)
			json_write_value(&d->w, d->dims[i].name, d->dims[i].values[k]);
		json_write_end(&d->w, '}');
		if (d->n_types > 0) {
			json_write_begin(&d->w, "dtypes", '{');
			for (size_t i = 0; i < d->n_types; i++)
				json_write_string(&d->w, d->types[i].name, d->types[i].types[k]);
			json_write_end(&d->w, '}');
		}
		for (size_t i = 0; i < p->n_sets; i++) {
			if (!is_whole(d, p, &p->sets[i]))
				continue;
			if (!any)
				json_write_begin(&d->w, "sets", '[');
			json_write_string(&d->w, NULL, p->sets[i].file);
			any = true;
		}
		if (any)
			json_write_end(&d->w, ']');
		if (write_default(d, p, e))
			return e->status;
		/* What ran, for who compares it with what is built. */
		if (p->ptx)
			json_write_string(&d->w, "X-ptx", p->ptx);
		json_write_end(&d->w, '}');
	}
	json_write_end(&d->w, ']');
	return ASC_OK;
}

/* ---- names for the look-up from Python ---- */

static bool is_size(const struct json_node *n)
{
	struct value v;
	struct asc_err none;

	return n && (json_type(n) == JSON_INT || json_type(n) == JSON_BOOL) &&
	       json_get_value(n, &v, &none) == ASC_OK && v.i >= 0;
}

/* Element number `i` of problem number `k`'s key, [NAME, VALUE]. */
static const struct json_node *find_key(const struct draft *d, size_t k, size_t i,
					const char **name)
{
	const struct json_node *n = json_first(json_find(d->p[k]->node, "key"));
	struct asc_err none;

	while (n && i-- > 0)
		n = json_next(n);
	n = json_first(n);
	if (!n || json_get_string(n, name, &none))
		return NULL;
	return json_next(n);
}

static bool is_tensor_name(const struct draft *d, const char *name)
{
	for (size_t i = 0; i < d->p[0]->n_arguments; i++)
		if (is_tensor(&d->p[0]->arguments[i]) &&
		    strcmp(d->p[0]->arguments[i].name, name) == 0)
			return true;
	return false;
}

/* Makes dimensions of what the autotuner's key has of sizes, under its names, and of the number of
 * elements of all tensors, which tells apart what the key does not. */
static enum asc_status find_key_sizes(struct draft *d, struct asc_err *e)
{
	const size_t n = json_count(json_find(d->p[0]->node, "key"));
	struct value *values = new_values(d);

	if (!values)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		const char *name = NULL;
		bool sizes = true;

		for (size_t k = 0; k < d->n; k++) {
			const struct json_node *value = find_key(d, k, i, &name);

			sizes = sizes && is_size(value);
			if (sizes)
				(void)json_get_value(value, &values[k], e);
		}
		if (!name || !sizes || is_tensor_name(d, name) ||
		    identifier_check(name, true, e) != ASC_OK)
			continue;
		name = arena_copy(&d->arena, name);
		if (add_dimension(d, name, values, e))
			return e->status;
	}
	for (size_t k = 0; k < d->n; k++) {
		double sum = 0;

		for (size_t i = 0; i < d->p[k]->n_arguments; i++) {
			const struct capture_argument *a = &d->p[k]->arguments[i];
			double count = is_tensor(a) ? 1 : 0;

			for (size_t axis = 0; axis < a->rank && is_tensor(a); axis++)
				count *= (double)a->shape[axis];
			sum += count;
		}
		values[k] = value_int((int64_t)sum);
	}
	d->elements = make_name(d, "elements");
	return add_dimension(d, d->elements, values, e);
}

static enum asc_status write_export(struct draft *d, struct asc_err *e)
{
	const size_t n = json_count(json_find(d->p[0]->node, "key"));
	size_t at = 0;

	json_write_begin(&d->w, "export", '{');
	json_write_begin(&d->w, "triton", '{');
	json_write_string(&d->w, "operator", d->form->operator_name);
	json_write_begin(&d->w, "sizes", '{');
	/* The dimensions of the key come first, in its order. */
	for (; strcmp(d->dims[at].name, d->elements) != 0; at++)
		json_write_string(&d->w, d->dims[at].name, d->dims[at].name);
	json_write_string(&d->w, "@elements", d->elements);
	json_write_end(&d->w, '}');
	json_write_begin(&d->w, "types", '{');
	for (size_t i = 0; i < d->p[0]->n_arguments; i++) {
		if (!is_tensor(&d->p[0]->arguments[i]))
			continue;
		const char *type = name_type(d, i);

		if (!type)
			return asc_err_nomem(e);
		json_write_string(&d->w, d->p[0]->arguments[i].name, type);
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = NULL, *text = NULL;
		const struct json_node *value = find_key(d, 0, i, &name);
		struct asc_err none;

		if (value && !is_tensor_name(d, name) &&
		    json_get_string(value, &text, &none) == ASC_OK)
			json_write_string(&d->w, name, text);
	}
	if (d->kernel->digest)
		json_write_string(&d->w, "@source", d->kernel->digest);
	json_write_end(&d->w, '}');
	json_write_end(&d->w, '}');
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* ---- the file ---- */

static enum asc_status write_file(struct draft *d, struct asc_err *e)
{
	const struct capture_kernel *k = d->kernel;
	const struct capture_problem *p = d->p[0];
	bool saved = true, recorded = false;
	struct buf text = {0};

	json_write_begin(&d->w, NULL, '{');
	json_write_int(&d->w, "asctune", 1);
	json_write_string(&d->w, "name", d->form->name);
	json_write_string(&d->w, "operator", d->form->operator_name);
	buf_print(&text, "%s of %s%s%s, as a program called it", k->name,
		  k->package ? k->package : k->module, k->version ? " " : "",
		  k->version ? k->version : "");
	json_write_string(&d->w, "description", buf_str(&text));
	const enum asc_status s = buf_check(&text, e);

	buf_fini(&text);
	if (s || write_problems(d, e))
		return e->status;
	json_write_begin(&d->w, "tensors", '{');
	for (size_t i = 0; i < p->n_arguments; i++) {
		const struct capture_argument *a = &p->arguments[i];

		if ((is_tensor(a) || a->kind == CAPTURED_NONE) && write_tensor(d, i, e))
			return e->status;
		if (is_tensor(a) && strcmp(find_role(d, i), "out") != 0)
			saved &= is_saved(d, i);
	}
	json_write_end(&d->w, '}');
	for (size_t i = 0; i < d->n; i++)
		recorded |= d->p[i]->n_sets > 0 && json_count(d->p[i]->sets[0].after) > 0;
	/* What was recorded is right for the recorded inputs alone. */
	json_write_string(&d->w, "reference", saved && recorded ? "files" : "configuration");
	if (write_implementation(d, e) || write_export(d, e))
		return e->status;
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* Begins a pass. */
static void begin(struct draft *d, struct buf *out)
{
	buf_clear(out);
	buf_clear(&d->tables);
	d->w = (struct json_writer){.out = out};
	d->tables_writer = (struct json_writer){.out = &d->tables};
	d->n_tables = 0;
	json_write_begin(&d->tables_writer, NULL, '{');
}

static enum asc_status write_draft(struct draft *d, struct buf *out, struct asc_err *e)
{
	struct buf flat = {0};
	enum asc_status s = check_names(d, e);

	for (size_t k = 0; k < d->n && s == ASC_OK; k++)
		s = check_problem(d, d->p[k], e);
	if (s == ASC_OK)
		s = find_uses(d, e);
	if (s == ASC_OK)
		s = find_parameters(d, e);
	if (s == ASC_OK)
		s = find_key_sizes(d, e);
	for (int pass = 0; pass < 2 && s == ASC_OK; pass++) {
		begin(d, &flat);
		s = write_file(d, e);
	}
	if (s == ASC_OK)
		s = buf_check(&flat, e);
	if (s == ASC_OK)
		json_print_lines(buf_str(&flat), out);
	buf_fini(&flat);
	return s == ASC_OK ? buf_check(out, e) : s;
}

static void draft_fini(struct draft *d)
{
	for (size_t i = 0; i < d->n_parameters; i++)
		free(d->parameters[i].values);
	free(d->parameters);
	free(d->dims);
	free(d->types);
	buf_fini(&d->tables);
	arena_fini(&d->arena);
}

enum asc_status capture_write_workload(const struct capture *c, struct capture_form *form,
				       size_t most, struct buf *out, struct asc_err *e)
{
	enum asc_status s;

	form->n_kept = form->n_problems < most ? form->n_problems : most;
	if (form->n_kept > WORKLOAD_MAX_PROBLEMS)
		form->n_kept = WORKLOAD_MAX_PROBLEMS;
	for (;; form->n_kept /= 2) {
		struct draft d = {.c = c,
				  .form = form,
				  .kernel = form->kernel,
				  .p = form->problems,
				  .n = form->n_kept};

		buf_clear(out);
		s = write_draft(&d, out, e);
		draft_fini(&d);
		/* The file is looked at for each of its problems. */
		if (s != ASC_OK || form->n_kept <= 1 ||
		    (out->len <= WORKLOAD_MAX_BYTES &&
		     out->len * form->n_kept <= WORKLOAD_MAX_WORK))
			break;
	}
	/* A reason is an answer. */
	if (s == ASC_ABSENT && *form->reason) {
		form->n_kept = 0;
		return ASC_OK;
	}
	return s;
}
