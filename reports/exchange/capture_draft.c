#include "reports/exchange/capture_draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/dtype.h"
#include "tuner/base/file.h"
#include "tuner/code/ttir_roles.h"

enum { MAX_TTIR_BYTES = 64 << 20 }; /* of one kernel: megabytes where loops are unrolled */

enum asc_status draft_give_up(struct capture_draft *d, struct asc_err *e, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str_print_line(d->form->reason, sizeof d->form->reason, format, args);
	va_end(args);
	return asc_err_set(e, ASC_ABSENT, "%s", d->form->reason);
}

/* ---- what differs between problems ---- */

bool draft_has_dimension(const struct capture_draft *d, const char *name)
{
	for (size_t i = 0; i < d->n_dims; i++)
		if (strcmp(d->dims[i].name, name) == 0)
			return true;
	return false;
}

static bool is_taken(const struct capture_draft *d, const char *name)
{
	if (draft_has_dimension(d, name))
		return true;
	for (size_t i = 0; i < d->n_types; i++)
		if (strcmp(d->types[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < d->n_tables; i++)
		if (strcmp(d->table_names[i], name) == 0)
			return true;
	for (size_t i = 0; i < d->n_parameters; i++)
		if (strcmp(d->parameters[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < d->kernel->n_parameters; i++)
		if (strcmp(d->kernel->parameters[i].name, name) == 0)
			return true;
	return false;
}

const char *draft_make_name(struct capture_draft *d, const char *wanted)
{
	char name[CAPTURE_MAX_NAME + 1];

	/* Room for the underscores of all names that there may be of one kind. */
	snprintf(name, CAPTURE_MAX_NAME - 8, "%s", wanted);
	for (size_t n = strlen(name); is_taken(d, name) && n < CAPTURE_MAX_NAME; n++)
		memcpy(name + n, "_", 2);
	return arena_copy(&d->arena, name);
}

const char *draft_find_dimension(const struct capture_draft *d, const struct value *values)
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

enum asc_status draft_add_dimension(struct capture_draft *d, const char *name,
				    const struct value *values, struct asc_err *e)
{
	struct dimension_column column = {name, arena_alloc(&d->arena, d->n * sizeof *values)};

	if (!name || !column.values ||
	    !array_room(&d->dims, d->n_dims, &d->dims_capacity, sizeof *d->dims))
		return asc_err_nomem(e);
	if (d->n_dims == WORKLOAD_MAX_DIMS)
		return draft_give_up(d, e, "its problems differ in more than %d sizes",
				     WORKLOAD_MAX_DIMS);
	memcpy(column.values, values, d->n * sizeof *values);
	d->dims[d->n_dims++] = column;
	return ASC_OK;
}

enum asc_status draft_write_number(struct capture_draft *d, const char *key, const char *wanted,
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
	name = draft_find_dimension(d, values);
	if (!name) {
		name = draft_make_name(d, wanted);
		if (draft_add_dimension(d, name, values, e))
			return e->status;
	}
	json_write_string(&d->w, key, name);
	return ASC_OK;
}

const char *draft_name_type(struct capture_draft *d, size_t argument)
{
	struct type_column column = {NULL, arena_alloc(&d->arena, d->n * sizeof *column.types)};
	char wanted[2 * CAPTURE_MAX_NAME];
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
	snprintf(wanted, sizeof wanted, "T_%.*s", CAPTURE_MAX_NAME,
		 d->p[0]->arguments[argument].name);
	column.name = draft_make_name(d, wanted);
	if (!column.name ||
	    !array_room(&d->types, d->n_types, &d->types_capacity, sizeof *d->types))
		return NULL;
	d->types[d->n_types++] = column;
	return d->types[d->n_types - 1].name;
}

struct value *draft_new_values(struct capture_draft *d)
{
	return arena_alloc(&d->arena, d->n * sizeof(struct value));
}

/* ---- what a workload can state ---- */

/* Finds what the code that ran does with each tensor, in all problems together. */
static enum asc_status find_uses(struct capture_draft *d, struct asc_err *e)
{
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_problem *p = d->p[k];
		char *path = p->ttir ? path_join(d->c->folder, p->ttir) : NULL;
		struct ttir_roles roles;
		struct buf text = {0};
		enum asc_status s;
		size_t at = 0;

		if (!p->ttir)
			return draft_give_up(d, e, "its code was not recorded");
		s = path ? file_read(path, MAX_TTIR_BYTES, &text, e) : asc_err_nomem(e);
		if (s == ASC_OK)
			s = ttir_read_roles(buf_str(&text), text.len, &roles, e);
		buf_fini(&text);
		free(path);
		if (s == ASC_NOMEM)
			return s;
		if (s != ASC_OK)
			return draft_give_up(d, e, "%s: %s", p->ttir, e->text);
		if (roles.follows_data)
			return draft_give_up(
				d, e,
				"it reads addresses out of its data, which lead nowhere in "
				"another process");
		d->loops |= roles.loops;
		/* Pointers and descriptors alone are counted on both sides: numbers that are known
		 * when the kernel is compiled are no parameters of its code. */
		for (size_t i = 0; i < p->n_arguments; i++)
			if (capture_is_tensor(&p->arguments[i]) && at++ < roles.n)
				d->uses[i] |= roles.uses[at - 1];
		if (at != roles.n)
			return draft_give_up(d, e, "%s has %zu pointers, %zu tensors were passed",
					     p->ttir, roles.n, at);
	}
	return ASC_OK;
}

const char *draft_find_role(const struct capture_draft *d, size_t argument)
{
	const char *name = d->p[0]->arguments[argument].name;
	const struct json_node *tuner = d->kernel->tuner;
	const unsigned uses = d->uses[argument];

	if (uses & TTIR_UPDATES || (uses & TTIR_STORES && uses & TTIR_LOADS))
		return "inout";
	if (!(uses & TTIR_STORES))
		return "in";
	/* Content that its autotuner puts back or clears before each launch counts before the
	 * launch. */
	return capture_has_name(json_find(tuner, "reset_to_zero"), name) ||
			       capture_has_name(json_find(tuner, "restore_value"), name)
		       ? "inout"
		       : "out";
}

/* Names become identifiers of formulas, of C and of the kernel's language. */
static enum asc_status check_names(struct capture_draft *d, struct asc_err *e)
{
	for (size_t i = 0; i < d->kernel->n_parameters; i++) {
		const struct capture_parameter *p = &d->kernel->parameters[i];
		struct asc_err why;

		if (identifier_check(p->name, p->is_constexpr, &why))
			return draft_give_up(d, e, "an argument: %s", why.text);
	}
	return ASC_OK;
}

static enum asc_status check_argument(struct capture_draft *d, const struct capture_argument *a,
				      struct asc_err *e)
{
	enum dtype dtype;

	if (a->kind == CAPTURED_OTHER)
		return draft_give_up(d, e, "its argument %s is neither a tensor nor a number",
				     a->name);
	if (!capture_is_tensor(a))
		return ASC_OK;
	if (a->padded)
		return draft_give_up(d, e, "its descriptor %s pads by something else than zeros",
				     a->name);
	if (a->rank > WORKLOAD_MAX_RANK)
		return draft_give_up(d, e, "%s has %zu dimensions, at most %d are taken", a->name,
				     a->rank, WORKLOAD_MAX_RANK);
	if (!dtype_parse(a->type, &dtype))
		return draft_give_up(d, e,
				     "%s has elements of type %s, which no tensor of a workload "
				     "has",
				     a->name, a->type);
	if (a->offset % (int64_t)dtype_bytes(dtype) != 0)
		return draft_give_up(d, e, "%s begins between two elements of its memory", a->name);
	for (size_t i = 0; i < a->rank; i++) {
		if (a->shape[i] <= 0)
			return draft_give_up(d, e, "%s has no elements", a->name);
		if (a->strides[i] < 0)
			return draft_give_up(d, e, "%s runs backwards through its memory", a->name);
	}
	return ASC_OK;
}

static enum asc_status check_problem(struct capture_draft *d, const struct capture_problem *p,
				     struct asc_err *e)
{
	if (p->n_arguments > WORKLOAD_MAX_ARGUMENTS)
		return draft_give_up(d, e, "it takes %zu arguments, at most %d are taken",
				     p->n_arguments, WORKLOAD_MAX_ARGUMENTS);
	for (size_t i = 0; i < p->n_arguments; i++)
		if (check_argument(d, &p->arguments[i], e))
			return e->status;
	return ASC_OK;
}

enum asc_status draft_check(struct capture_draft *d, struct asc_err *e)
{
	const struct json_node *target = json_find(json_find(d->c->process, "device"), "target");
	const char *text = NULL;
	struct asc_err none;
	enum asc_status s = check_names(d, e);

	if (s == ASC_OK && json_get_string(target, &text, &none) == ASC_OK &&
	    strncmp(text, "cuda", 4) != 0)
		s = draft_give_up(d, e, "it ran on %s, not on a GPU of NVIDIA's", text);
	for (size_t k = 0; k < d->n && s == ASC_OK; k++)
		s = check_problem(d, d->p[k], e);
	return s == ASC_OK ? find_uses(d, e) : s;
}
