/* The workload file of an imported kernel. A value that the kernel's file does not have is written
 * as "TODO" or null, and named under "X-todo": `asctune check-workload` refuses the workload until
 * the user has filled it in. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/autotune.h"
#include "reports/exchange/autotune_space.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"

#define TODO "TODO"

/* Limits of a workload file: of a formula, and of a name. */
enum { MAX_CONDITION_BYTES = 16384, MAX_NAME = 64 };

struct draft {
	const struct autotune *a;
	const struct autotune_kernel *kernel;
	const char *source;
	struct autotune_space space;
	const char *pair[2]; /* block sizes of square-block; NULL: not applied */
	bool lists_differ;   /* both devices' configurations are in the space */
	const char **keys;   /* sizes of the problem */
	size_t n_keys, n_todo;
	struct json_writer w;
};

static bool is_key(const struct draft *d, const char *name)
{
	for (size_t i = 0; i < d->n_keys; i++)
		if (strcmp(d->keys[i], name) == 0)
			return true;
	return false;
}

static const struct autotune_parameter *find_parameter(const struct autotune_kernel *k,
						       const char *name)
{
	for (size_t i = 0; i < k->n_parameters; i++)
		if (strcmp(k->parameters[i].name, name) == 0)
			return &k->parameters[i];
	return NULL;
}

/* True for a parameter whose values the user fills in: a kernel without an autotuner gets those of
 * each tl.constexpr without a default from its launcher. */
static bool has_open_values(const struct draft *d, const struct autotune_parameter *p)
{
	return !d->kernel->has_tuner && p->is_constexpr && !p->has_value;
}

static bool is_tuned(const struct draft *d, const char *name)
{
	const struct autotune_parameter *p = find_parameter(d->kernel, name);

	return autotune_space_find(&d->space, name) || (p && has_open_values(d, p));
}

/* True when what a parameter is passed follows from sizes and tuned parameters: by formula_of(). */
static bool has_formula(const struct draft *d, const struct autotune_parameter *p)
{
	return is_key(d, p->name) || is_tuned(d, p->name) || p->formula;
}

static const char *formula_of(const struct draft *d, const struct autotune_parameter *p)
{
	return is_key(d, p->name) || is_tuned(d, p->name) ? p->name : p->formula;
}

/* ---- keys ---- */

/* Finds the sizes: those of the tensors that a launcher passes, which its formulas name. Without
 * one, among the autotuner's keys: by the key filter; if that knows none, all numbers that are no
 * strides, at most as many as a problem has axes. Without an autotuner, among all parameters. */
static enum asc_status find_keys(struct draft *d, struct asc_err *e)
{
	const struct autotune_kernel *k = d->kernel;

	d->keys = calloc(k->n_keys + k->n_parameters + 1, sizeof *d->keys);
	if (!d->keys)
		return asc_err_nomem(e);
	/* Each size is named after one parameter. */
	for (size_t i = 0; i < k->n_parameters; i++)
		for (size_t axis = 0; axis < k->parameters[i].n_shape; axis++)
			if (!is_key(d, k->parameters[i].shape[axis]) && d->n_keys < k->n_parameters)
				d->keys[d->n_keys++] = k->parameters[i].shape[axis];
	if (d->n_keys > 0)
		return ASC_OK;
	memcpy(d->keys, k->keys, k->n_keys * sizeof *d->keys);
	d->n_keys = rewrite_key_filter(d->keys, k->n_keys);
	/* Autotuners list strides among their keys, which follow from sizes. */
	const size_t n = k->has_tuner ? k->n_keys : k->n_parameters;

	for (size_t i = 0, filtered = d->n_keys; filtered == 0 && i < n; i++) {
		const struct autotune_parameter *p =
			k->has_tuner ? find_parameter(k, k->keys[i]) : &k->parameters[i];

		if (p && !p->role && !(p->is_constexpr && !k->has_tuner) &&
		    !strstr(p->name, "stride") && d->n_keys < REWRITE_MAX_KEYS)
			d->keys[d->n_keys++] = p->name;
	}
	return ASC_OK;
}

/* ---- lists of configurations ---- */

static bool lists_equal(const struct autotune_entry *a, size_t n, const struct autotune_entry *b,
			size_t m)
{
	if (n != m)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (a[i].config.n != b[i].config.n)
			return false;
		for (size_t k = 0; k < a[i].config.n; k++)
			if (strcmp(a[i].names[k], b[i].names[k]) != 0 ||
			    !value_equal(a[i].config.values[k], b[i].config.values[k]))
				return false;
	}
	return true;
}

/* Makes the space of the kernel's list of configurations and of its twin's. If the twin's list is
 * the kernel's as the rewrite square-block would make it for NPUs, or if there is no twin, the
 * workload has that rewrite instead of the twin's list. */
static enum asc_status find_space(struct draft *d, struct asc_err *e)
{
	const struct autotune_kernel *k = d->kernel, *twin = &d->a->twin;
	const size_t n = k->n_entries, m = twin->name ? twin->n_entries : 0;

	if (n == 0)
		return ASC_OK;
	struct autotune_entry *list = calloc(n + m, sizeof *list);

	if (!list)
		return asc_err_nomem(e);
	memcpy(list, k->entries, n * sizeof *list);
	const bool rewritten = rewrite_square_list(list, n);
	const bool same = m == 0 || lists_equal(list, n, twin->entries, m);

	/* The rewrite is about two parameters, the first that are called block sizes. */
	for (size_t i = 0, n_pair = 0; rewritten && same && i < k->entries->config.n; i++)
		if (strstr(k->entries->names[i], "BLOCK_SIZE") && n_pair < 2)
			d->pair[n_pair++] = k->entries->names[i];
	/* The list stays as the file has it: binding to an NPU applies the rewrite. */
	memcpy(list, k->entries, n * sizeof *list);
	d->lists_differ = m > 0 && !d->pair[0] && !lists_equal(list, n, twin->entries, m);
	if (d->lists_differ)
		memcpy(list + n, twin->entries, m * sizeof *list);
	enum asc_status s = autotune_space_init(&d->space, list, d->lists_differ ? n + m : n, e);

	/* The second one is not in the condition: the rewrite ties it to the first. */
	for (size_t i = 0; d->pair[1] && i < d->space.n; i++)
		if (strcmp(d->space.dimensions[i].name, d->pair[1]) == 0)
			d->space.dimensions[i].free = true;
	free(list);
	return s;
}

/* ---- sections ---- */

static void write_problem(struct draft *d)
{
	json_write_begin(&d->w, "problems", '[');
	json_write_begin(&d->w, NULL, '{');
	json_write_string(&d->w, "name", "first");
	json_write_begin(&d->w, "dims", '{');
	for (size_t i = 0; i < d->n_keys; i++)
		json_write_string(&d->w, d->keys[i], NULL);
	json_write_end(&d->w, '}');
	json_write_begin(&d->w, "dtypes", '{');
	json_write_string(&d->w, "T", "f32");
	json_write_end(&d->w, '}');
	json_write_end(&d->w, '}');
	json_write_end(&d->w, ']');
}

static void write_verify(struct json_writer *w)
{
	json_write_begin(w, "verify", '{');
	json_write_string(w, "kind", "allclose");
	json_write_begin(w, "tolerance", '{');
	json_write_begin(w, "f32", '{');
	json_write_string(w, "atol", TODO);
	json_write_string(w, "rtol", TODO);
	json_write_end(w, '}');
	json_write_end(w, '}');
	json_write_end(w, '}');
}

static void write_tensors(struct draft *d)
{
	const struct autotune_kernel *k = d->kernel;

	json_write_begin(&d->w, "tensors", '{');
	for (size_t i = 0; i < k->n_parameters; i++) {
		const struct autotune_parameter *p = &k->parameters[i];

		if (!p->role)
			continue;
		json_write_begin(&d->w, p->name, '{');
		json_write_begin(&d->w, "shape", '[');
		for (size_t axis = 0; axis < p->n_shape; axis++)
			json_write_string(&d->w, NULL, p->shape[axis]);
		if (p->n_shape == 0)
			json_write_string(&d->w, NULL, TODO);
		json_write_end(&d->w, ']');
		json_write_string(&d->w, "dtype", "T");
		json_write_string(&d->w, "role", p->role);
		if (strcmp(p->role, "in") != 0)
			write_verify(&d->w);
		json_write_end(&d->w, '}');
	}
	json_write_end(&d->w, '}');
}

/* A parameter that no list of configurations has: with the values of a range, or with none. */
static void write_untuned(struct draft *d, const char *name, const struct autotune_range *range,
			  const struct value *value)
{
	json_write_begin(&d->w, name, '{');
	json_write_begin(&d->w, "values", '[');
	for (size_t i = 0; range && i < AUTOTUNE_RANGE; i++)
		json_write_int(&d->w, NULL, range->values[i]);
	if (!range)
		json_write_string(&d->w, NULL, NULL);
	json_write_end(&d->w, ']');
	if (value)
		json_write_value(&d->w, "default", *value);
	json_write_end(&d->w, '}');
}

static void write_parameters(struct draft *d)
{
	struct value v;

	json_write_begin(&d->w, "parameters", '{');
	for (size_t i = 0; i < d->space.n; i++) {
		const struct autotune_dimension *dimension = &d->space.dimensions[i];
		const struct autotune_parameter *p = find_parameter(d->kernel, dimension->name);

		json_write_begin(&d->w, dimension->name, '{');
		json_write_begin(&d->w, "values", '[');
		for (size_t k = 0; k < dimension->n; k++)
			json_write_value(&d->w, NULL, dimension->values[k]);
		json_write_end(&d->w, ']');
		if (p && !p->is_constexpr)
			json_write_string(&d->w, "stage", "launch");
		json_write_end(&d->w, '}');
	}
	for (size_t i = 0; i < d->kernel->n_parameters; i++)
		if (has_open_values(d, &d->kernel->parameters[i]))
			write_untuned(d, d->kernel->parameters[i].name, NULL, NULL);
	/* Triton gives each launch a number of warps and of stages. */
	for (const struct autotune_range *r = autotune_ranges; r->name && !d->kernel->has_tuner;
	     r++)
		write_untuned(d, r->name, r, autotune_find_default(r->name, &v) ? &v : NULL);
	json_write_end(&d->w, '}');
}

static enum asc_status write_condition(struct draft *d, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s;
	const size_t n = d->space.n_sets;

	autotune_space_print(&d->space, &text);
	s = buf_check(&text, e);
	if (s == ASC_OK && text.len > MAX_CONDITION_BYTES)
		s = asc_err_set(e, ASC_LIMIT,
				"the list of %zu configurations of kernel %s is too irregular: its "
				"condition has %zu bytes, at most %d are read",
				n, d->kernel->name, text.len, MAX_CONDITION_BYTES);
	if (s == ASC_OK && text.len > 0) {
		json_write_begin(&d->w, "constraints", '[');
		json_write_string(&d->w, NULL, buf_str(&text));
		json_write_end(&d->w, ']');
	}
	buf_fini(&text);
	return s;
}

static const char *type_of(const struct autotune_parameter *p)
{
	if (p->type)
		return p->type;
	/* Triton passes an integer without an annotation as 32 bits if it fits. */
	if (!p->has_value || p->is_text || p->value.kind == VALUE_INT)
		return "i32";
	return p->value.kind == VALUE_REAL ? "f32" : "bool";
}

/* True when a number that the kernel takes is neither a size nor tuned and has no default. */
static bool is_open_argument(const struct draft *d, const struct autotune_parameter *p)
{
	return !p->role && !has_formula(d, p) && (!p->has_value || p->is_text);
}

static void write_scalar(struct draft *d, const struct autotune_parameter *p)
{
	if (is_open_argument(d, p))
		json_write_string(&d->w, "scalar", TODO);
	else if (has_formula(d, p))
		json_write_string(&d->w, "scalar", formula_of(d, p));
	else
		json_write_value(&d->w, "scalar",
				 p->value.kind == VALUE_BOOL ? value_int(p->value.i) : p->value);
	json_write_string(&d->w, "type", type_of(p));
}

static void write_descriptor(struct draft *d, const struct autotune_parameter *p)
{
	json_write_begin(&d->w, "tensor_map", '{');
	json_write_string(&d->w, "tensor", p->name);
	json_write_begin(&d->w, "box", '[');
	json_write_string(&d->w, NULL, TODO);
	json_write_end(&d->w, ']');
	json_write_end(&d->w, '}');
}

static void write_arguments(struct draft *d)
{
	const struct autotune_kernel *k = d->kernel;

	json_write_begin(&d->w, "arguments", '[');
	for (size_t i = 0; i < k->n_parameters; i++) {
		const struct autotune_parameter *p = &k->parameters[i];

		if (p->is_constexpr)
			continue;
		json_write_begin(&d->w, NULL, '{');
		if (p->is_descriptor)
			write_descriptor(d, p);
		else if (p->role)
			json_write_string(&d->w, "tensor", p->name);
		else
			write_scalar(d, p);
		json_write_end(&d->w, '}');
	}
	json_write_end(&d->w, ']');
}

static bool is_heuristic(const struct autotune_kernel *k, const char *name)
{
	for (size_t i = 0; i < k->n_heuristics; i++)
		if (strcmp(k->heuristics[i].name, name) == 0)
			return true;
	return false;
}

/* True when the value of a constexpr parameter is not known, or is a text that no formula states.
 */
static bool is_open_constant(const struct draft *d, const struct autotune_parameter *p)
{
	if (has_formula(d, p))
		return false;
	/* A heuristic computes it at each call: a default would be the wrong value. */
	return !p->has_value || is_heuristic(d->kernel, p->name) ||
	       (p->is_text && !value_text_check(p->text, strlen(p->text)));
}

static void write_constant(struct draft *d, const struct autotune_parameter *p)
{
	struct buf text = {0};

	if (has_formula(d, p)) {
		json_write_string(&d->w, p->name, formula_of(d, p));
	} else if (is_open_constant(d, p)) {
		json_write_string(&d->w, p->name, TODO);
	} else if (p->is_text) {
		buf_print(&text, "'%s'", p->text);
		json_write_string(&d->w, p->name, buf_str(&text)); /* a formula: quoted in it */
	} else {
		json_write_value(&d->w, p->name, p->value);
	}
	buf_fini(&text);
}

static void write_texts(struct draft *d, const char *key, const struct autotune_text *list,
			size_t n)
{
	if (n == 0)
		return;
	json_write_begin(&d->w, key, '{');
	for (size_t i = 0; i < n; i++)
		json_write_string(&d->w, list[i].name, list[i].text);
	json_write_end(&d->w, '}');
}

static enum asc_status write_implementation(struct draft *d, struct asc_err *e)
{
	const struct autotune_kernel *k = d->kernel;

	json_write_begin(&d->w, "implementations", '[');
	json_write_begin(&d->w, NULL, '{');
	json_write_string(&d->w, "name", "triton");
	json_write_begin(&d->w, "devices", '[');
	json_write_string(&d->w, NULL, "cuda");
	json_write_string(&d->w, NULL, "npu");
	json_write_end(&d->w, ']');
	json_write_string(&d->w, "builder", "triton");
	json_write_string(&d->w, "source", d->source);
	if (d->a->twin.name) {
		json_write_begin(&d->w, "entry", '{');
		json_write_string(&d->w, "cuda", k->name);
		json_write_string(&d->w, "npu", d->a->twin.name);
		json_write_end(&d->w, '}');
	} else {
		json_write_string(&d->w, "entry", k->name);
	}
	write_parameters(d);
	if (write_condition(d, e))
		return e->status;
	json_write_begin(&d->w, "launch", '{');
	json_write_begin(&d->w, "grid", '[');
	for (size_t i = 0; i < k->n_grid; i++)
		json_write_string(&d->w, NULL, k->grid[i]);
	if (k->n_grid == 0)
		json_write_string(&d->w, NULL, TODO);
	json_write_end(&d->w, ']');
	json_write_end(&d->w, '}');
	write_arguments(d);
	json_write_begin(&d->w, "constants", '{');
	for (size_t i = 0; i < k->n_parameters; i++)
		if (k->parameters[i].is_constexpr && !is_tuned(d, k->parameters[i].name))
			write_constant(d, &k->parameters[i]);
	json_write_end(&d->w, '}');
	if (d->pair[1]) {
		json_write_begin(&d->w, "rewrites", '[');
		json_write_begin(&d->w, NULL, '{');
		json_write_string(&d->w, "rewrite", rewrite_square_block.name);
		json_write_begin(&d->w, "parameters", '[');
		json_write_string(&d->w, NULL, d->pair[0]);
		json_write_string(&d->w, NULL, d->pair[1]);
		json_write_end(&d->w, ']');
		json_write_end(&d->w, '}');
		json_write_end(&d->w, ']');
	}
	write_texts(d, "X-heuristics", k->heuristics, k->n_heuristics);
	write_texts(d, "X-autotune", k->others, k->n_others);
	json_write_end(&d->w, '}');
	json_write_end(&d->w, ']');
	return ASC_OK;
}

/* ---- what is left to the user ---- */

static void todo(struct draft *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void todo(struct draft *d, const char *format, ...)
{
	char text[600];
	va_list args;

	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	json_write_string(&d->w, NULL, text);
	d->n_todo++;
}

static void write_todo_arguments(struct draft *d)
{
	const struct autotune_kernel *k = d->kernel;
	size_t at = 0;

	for (size_t i = 0; i < k->n_parameters; i++) {
		const struct autotune_parameter *p = &k->parameters[i];

		if (p->is_constexpr)
			continue;
		if (is_open_argument(d, p))
			todo(d,
			     "implementations[0].arguments[%zu]: formula%s of %s, or the "
			     "tensor whose address it is",
			     at, p->type ? "" : " and type", p->name);
		else if (p->is_descriptor)
			todo(d, "implementations[0].arguments[%zu].tensor_map.box: block of %s", at,
			     p->name);
		at++;
	}
}

static void write_todo(struct draft *d)
{
	const struct autotune_kernel *k = d->kernel;

	json_write_begin(&d->w, "X-todo", '[');
	todo(d, "problems[0]: name, sizes and dtypes to tune for; more of them");
	for (size_t i = 0; i < k->n_parameters; i++)
		if (k->parameters[i].role)
			todo(d, "tensors.%s: %sdtype, %s", k->parameters[i].name,
			     k->parameters[i].n_shape > 0 ? "" : "shape, ",
			     strcmp(k->parameters[i].role, "in") == 0 ? "fill" : "tolerance");
	todo(d, "reference: a C function that computes the right answer, or \"configuration\", "
		"the answer of the default; nothing is verified without");
	if (k->n_grid == 0)
		todo(d, "implementations[0].launch.grid: blocks along each axis");
	write_todo_arguments(d);
	for (size_t i = 0; i < k->n_parameters; i++)
		if (has_open_values(d, &k->parameters[i]))
			todo(d,
			     "implementations[0].parameters.%s: values to choose from; if it is "
			     "not tuned, its value under constants instead",
			     k->parameters[i].name);
	for (size_t i = 0; i < k->n_parameters; i++) {
		const struct autotune_parameter *p = &k->parameters[i];

		if (p->is_constexpr && !is_tuned(d, p->name) && is_open_constant(d, p))
			todo(d, "implementations[0].constants.%s: %s", p->name,
			     is_heuristic(k, p->name) ? "formula of the text under X-heuristics"
						      : "its value");
	}
	for (size_t i = 0; i < k->n_keys; i++)
		if (!is_key(d, k->keys[i]))
			todo(d,
			     "export.triton.sizes.%s: a dimension with its value, where `asctune "
			     "export triton` is to find the autotuner's key",
			     k->keys[i]);
	if (d->lists_differ)
		todo(d,
		     "implementations[0].constraints: %s and %s have different lists, and "
		     "configurations of both are taken on either device",
		     k->name, d->a->twin.name);
	json_write_end(&d->w, ']');
}

/* ---- the file ---- */

/* The workload's name: the kernel's from its first letter or digit on. */
static void write_name(struct draft *d)
{
	const char *name = d->kernel->name;
	char text[MAX_NAME + 1];

	while (*name && !isalnum((unsigned char)*name))
		name++;
	/* "all" stands for every workload on a command line. */
	snprintf(text, sizeof text, "%s", *name && strcmp(name, "all") != 0 ? name : "kernel");
	json_write_string(&d->w, "name", text);
}

void autotune_write_origin(const struct autotune *a, const char *key, struct json_writer *w)
{
	struct buf text = {0};

	buf_print(&text, "%s:%s", a->module, a->kernel.name);
	json_write_begin(w, key, '{');
	json_write_string(w, "kernel", buf_str(&text));
	if (a->version) {
		json_write_string(w, "package", a->package);
		json_write_string(w, "version", a->version);
	}
	json_write_string(w, "digest", a->digest);
	json_write_end(w, '}');
	buf_fini(&text);
}

static size_t count_key_sizes(const struct draft *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->kernel->n_keys; i++)
		n += is_key(d, d->kernel->keys[i]);
	return n;
}

/* Writes what a library calls the sizes of the autotuner's key, and the tensors of which it looks
 * at the type. */
static void write_names(struct draft *d, const char *library, const char *op)
{
	const struct autotune_kernel *k = d->kernel;

	json_write_begin(&d->w, library, '{');
	json_write_string(&d->w, "operator", op);
	json_write_begin(&d->w, "sizes", '{');
	for (size_t i = 0; i < k->n_keys; i++)
		if (is_key(d, k->keys[i]))
			json_write_string(&d->w, k->keys[i], k->keys[i]);
	json_write_end(&d->w, '}');
	json_write_begin(&d->w, "types", '{');
	for (size_t i = 0; i < k->n_parameters; i++)
		if (k->parameters[i].role && !k->parameters[i].is_descriptor)
			json_write_string(&d->w, k->parameters[i].name, "T");
	json_write_end(&d->w, '}');
	json_write_end(&d->w, '}');
}

/* Names for the look-up from Python and for Triton's own cache, and for tables of the library that
 * the autotuner is of. A file by itself is the module that a program imports from its folder. FLA
 * finds a row by all of the key. */
static enum asc_status write_export(struct draft *d, struct asc_err *e)
{
	const struct autotune_kernel *k = d->kernel;
	const char *file = path_name(d->a->file);
	const bool fla = str_is_same(k->library, "fla");
	struct buf op = {0};

	if (!k->has_tuner)
		return ASC_OK;
	if (*d->a->module)
		buf_print(&op, "%s:%s", d->a->module, k->name);
	else
		buf_print(&op, "%.*s:%s", (int)strcspn(file, "."), file, k->name);
	json_write_begin(&d->w, "export", '{');
	write_names(d, "triton", buf_str(&op));
	if (k->library && (!fla || count_key_sizes(d) == k->n_keys))
		write_names(d, k->library, fla ? k->name : buf_str(&op));
	json_write_end(&d->w, '}');
	const enum asc_status s = buf_check(&op, e);

	buf_fini(&op);
	return s;
}

static enum asc_status write_draft(struct draft *d, struct asc_err *e)
{
	enum asc_status s = find_keys(d, e);

	if (s == ASC_OK)
		s = find_space(d, e);
	if (s)
		return s;
	json_write_begin(&d->w, NULL, '{');
	json_write_int(&d->w, "asctune", 1);
	write_name(d);
	write_todo(d); /* before all else: it is what the user reads first */
	if (d->a->text)
		autotune_write_origin(d->a, "X-source", &d->w);
	write_problem(d);
	write_tensors(d);
	s = write_implementation(d, e);
	if (s == ASC_OK)
		s = write_export(d, e);
	json_write_end(&d->w, '}');
	return s;
}

/* The twin takes the same parameters: there is one list of arguments for both. */
static enum asc_status check_twin(const struct autotune *a, struct asc_err *e)
{
	const struct autotune_kernel *k = &a->kernel, *twin = &a->twin;

	for (size_t i = 0; twin->name && (i < k->n_parameters || i < twin->n_parameters); i++) {
		const char *one = i < k->n_parameters ? k->parameters[i].name : "none";
		const char *other = i < twin->n_parameters ? twin->parameters[i].name : "none";

		if (strcmp(one, other) != 0)
			return asc_err_set(e, ASC_INPUT,
					   "parameter %zu of %s is %s, that of its twin %s is %s: "
					   "expected the same",
					   i + 1, k->name, one, twin->name, other);
	}
	return ASC_OK;
}

enum asc_status autotune_write_workload(const struct autotune *a, const char *source,
					struct buf *out, size_t *n_todo, struct asc_err *e)
{
	struct buf text = {0};
	struct draft d = {.a = a, .kernel = &a->kernel, .source = source, .w = {.out = &text}};
	enum asc_status s = check_twin(a, e);

	if (s == ASC_OK)
		s = write_draft(&d, e);
	if (s == ASC_OK)
		s = buf_check(&text, e);
	if (s == ASC_OK)
		json_print_lines(buf_str(&text), out);
	if (s == ASC_OK)
		s = buf_check(out, e);
	if (s)
		asc_err_wrap(e, "%s", a->file);
	*n_todo = d.n_todo;
	autotune_space_fini(&d.space);
	free(d.keys);
	buf_fini(&text);
	return s;
}
