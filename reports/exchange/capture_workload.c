/* The workload of a form.
 *
 * Two passes: the first, whose text is dropped, finds what differs between the problems and makes
 * dimensions and type variables of it; the second writes the file, in which the problems come
 * first. What is the same in all problems stands as a number where it is used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/capture_draft.h"
#include "tuner/base/dtype.h"
#include "tuner/workload/workload.h"

/* ---- arguments ---- */

static const char *find_annotation(const struct capture_draft *d, const char *name)
{
	for (size_t i = 0; i < d->kernel->n_parameters; i++)
		if (strcmp(d->kernel->parameters[i].name, name) == 0)
			return d->kernel->parameters[i].annotation;
	return NULL;
}

/* The type that a number has in the kernel: the one that it is annotated with, else Triton's for
 * such a value. */
static const char *scalar_type(const struct capture_draft *d, const struct capture_argument *a)
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

static enum asc_status write_argument(struct capture_draft *d, size_t argument, struct asc_err *e)
{
	const struct capture_argument *a = &d->p[0]->arguments[argument];
	char wanted[2 * CAPTURE_MAX_NAME];

	json_write_begin(&d->w, NULL, '{');
	if (a->kind == CAPTURED_TENSOR || a->kind == CAPTURED_NONE) {
		json_write_string(&d->w, "tensor", a->name);
	} else if (a->kind == CAPTURED_DESCRIPTOR) {
		const struct json_node *const *boxes;

		if (draft_find_tables(d, "boxes", a->name, &boxes, e))
			return e->status;
		if (!boxes)
			return draft_give_up(
				d, e, "the block of its descriptor %s was not recorded", a->name);
		json_write_begin(&d->w, "tensor_map", '{');
		json_write_string(&d->w, "tensor", a->name);
		json_write_begin(&d->w, "box", '[');
		for (size_t i = 0; i < a->rank; i++) {
			snprintf(wanted, sizeof wanted, "box_%.*s_%zu", CAPTURE_MAX_NAME, a->name,
				 i);
			if (draft_write_formula(d, NULL, wanted, boxes, (int)i, e))
				return e->status;
		}
		json_write_end(&d->w, ']');
		json_write_end(&d->w, '}');
	} else {
		struct value *values = draft_new_values(d);

		if (!values)
			return asc_err_nomem(e);
		for (size_t k = 0; k < d->n; k++) {
			values[k] = d->p[k]->arguments[argument].value;
			/* A formula has no literal of a truth value. */
			if (values[k].kind == VALUE_BOOL)
				values[k].kind = VALUE_INT;
		}
		snprintf(wanted, sizeof wanted, "%.*s_", CAPTURE_MAX_NAME, a->name);
		if (draft_write_number(d, "scalar", wanted, values, e))
			return e->status;
		json_write_string(&d->w, "type", scalar_type(d, a));
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* ---- the implementation ---- */

static enum asc_status write_grid(struct capture_draft *d, struct asc_err *e)
{
	static const char *const axes[] = {"grid_x", "grid_y", "grid_z"};
	const struct json_node *const *grids;

	if (draft_find_tables(d, "grid", NULL, &grids, e))
		return e->status;
	if (!grids)
		return draft_give_up(d, e, "its grid was not recorded");
	json_write_begin(&d->w, "launch", '{');
	json_write_begin(&d->w, "grid", '[');
	for (int axis = 0; axis < 3; axis++)
		if (draft_write_formula(d, NULL, axes[axis], grids, axis, e))
			return e->status;
	json_write_end(&d->w, ']');
	json_write_end(&d->w, '}');
	return ASC_OK;
}

static enum asc_status write_implementation(struct capture_draft *d, struct asc_err *e)
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
	if (draft_write_parameters(d, e) || (d->kernel->tuner && draft_write_list(d, e)) ||
	    write_grid(d, e))
		return e->status;
	json_write_begin(&d->w, "arguments", '[');
	for (size_t i = 0; i < d->p[0]->n_arguments; i++)
		if (write_argument(d, i, e))
			return e->status;
	json_write_end(&d->w, ']');
	if (draft_write_constants(d, e))
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
static bool is_whole(const struct capture_draft *d, const struct capture_problem *p,
		     const struct capture_set *set)
{
	for (size_t i = 0; i < p->n_arguments && set->file; i++)
		if (capture_is_tensor(&p->arguments[i]) &&
		    strcmp(draft_find_role(d, i), "out") != 0 && draft_is_saved(d, i) &&
		    !capture_has_name(set->before, p->arguments[i].name))
			return false;
	return set->file != NULL;
}

static enum asc_status write_problems(struct capture_draft *d, struct asc_err *e)
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
		if (draft_write_default(d, p, e))
			return e->status;
		/* The code that ran, to be compared with the code that is built. */
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

/* Element number `i` of problem number `k`'s key, [NAME, VALUE], for a text [NAME, VALUE, TEXT]:
 * the value is named as a workload names types. */
static const struct json_node *find_key(const struct capture_draft *d, size_t k, size_t i,
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

static bool is_tensor_name(const struct capture_draft *d, const char *name)
{
	for (size_t i = 0; i < d->p[0]->n_arguments; i++)
		if (capture_is_tensor(&d->p[0]->arguments[i]) &&
		    strcmp(d->p[0]->arguments[i].name, name) == 0)
			return true;
	return false;
}

/* Makes dimensions of what the autotuner's key has of sizes, under its names, and of the number of
 * elements of all tensors, which tells apart what the key does not. */
static enum asc_status find_key_sizes(struct capture_draft *d, struct asc_err *e)
{
	const size_t n = json_count(json_find(d->p[0]->node, "key"));
	struct value *values = draft_new_values(d);

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
		if (draft_add_dimension(d, name, values, e))
			return e->status;
	}
	for (size_t k = 0; k < d->n; k++) {
		double sum = 0;

		for (size_t i = 0; i < d->p[k]->n_arguments; i++) {
			const struct capture_argument *a = &d->p[k]->arguments[i];
			double count = capture_is_tensor(a) ? 1 : 0;

			for (size_t axis = 0; axis < a->rank && capture_is_tensor(a); axis++)
				count *= (double)a->shape[axis];
			sum += count;
		}
		if (sum > CAPTURE_MOST)
			return draft_give_up(d, e, "its tensors have more than 2^53 elements");
		values[k] = value_int((int64_t)sum);
	}
	d->elements = draft_make_name(d, "elements");
	return draft_add_dimension(d, d->elements, values, e);
}

/* True for a kernel whose autotuner is a class of the package `prefix`, "fla.". */
static bool is_tuned_by(const struct capture_draft *d, const char *prefix)
{
	const char *class = "";
	struct asc_err none;

	return d->kernel->tuner &&
	       json_get_string(json_find(d->kernel->tuner, "class"), &class, &none) == ASC_OK &&
	       strncmp(class, prefix, strlen(prefix)) == 0;
}

/* The dimensions of the key come first, in its order. */
static void write_key_sizes(struct capture_draft *d)
{
	for (size_t i = 0; strcmp(d->dims[i].name, d->elements) != 0; i++)
		json_write_string(&d->w, d->dims[i].name, d->dims[i].name);
}

/* Names of a table that is asked by the kernel's place: key, types of tensors, texts of the key,
 * and the kernel's text. `own`: for the look-up from Python, which tells apart calls of one key by
 * their elements. */
static enum asc_status write_names(struct capture_draft *d, const char *library, size_t n, bool own,
				   struct asc_err *e)
{
	json_write_begin(&d->w, library, '{');
	json_write_string(&d->w, "operator", d->form->operator_name);
	json_write_begin(&d->w, "sizes", '{');
	write_key_sizes(d);
	if (own)
		json_write_string(&d->w, "@elements", d->elements);
	json_write_end(&d->w, '}');
	json_write_begin(&d->w, "types", '{');
	for (size_t i = 0; i < d->p[0]->n_arguments; i++) {
		/* A descriptor has no type that a library would look at. */
		if (!capture_is_tensor(&d->p[0]->arguments[i]) ||
		    (!own && d->p[0]->arguments[i].kind == CAPTURED_DESCRIPTOR))
			continue;
		const char *type = draft_name_type(d, i);

		if (!type)
			return asc_err_nomem(e);
		json_write_string(&d->w, d->p[0]->arguments[i].name, type);
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = NULL, *text = NULL;
		const struct json_node *value = find_key(d, 0, i, &name);
		struct asc_err none;

		if (!value || is_tensor_name(d, name) || json_get_string(value, &text, &none))
			continue;
		if (!own && json_next(value))
			(void)json_get_string(json_next(value), &text, &none);
		json_write_string(&d->w, name, text);
	}
	if (d->kernel->digest)
		json_write_string(&d->w, "@source", d->kernel->digest);
	json_write_end(&d->w, '}');
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* True where a table of flash-linear-attention can hold the key: numbers and truth values, then
 * types of tensors. */
static bool is_key_of_fla(const struct capture_draft *d, size_t n)
{
	const char *name = NULL;

	for (size_t i = 0, at = 0; i < n; i++)
		if (!find_key(d, 0, i, &name) ||
		    (!is_tensor_name(d, name) && strcmp(d->dims[at++].name, name) != 0))
			return false;
	return true;
}

/* Names of a table of flash-linear-attention: the key, and the types of tensors in the order of the
 * launch, as its autotuner has them. */
static enum asc_status write_fla_names(struct capture_draft *d, size_t n, struct asc_err *e)
{
	const char *name = NULL;

	json_write_begin(&d->w, "fla", '{');
	json_write_string(&d->w, "operator", d->kernel->name);
	json_write_begin(&d->w, "sizes", '{');
	write_key_sizes(d);
	json_write_end(&d->w, '}');
	json_write_begin(&d->w, "types", '{');
	for (size_t i = 0; i < n; i++) {
		(void)find_key(d, 0, i, &name);
		for (size_t k = 0; k < d->p[0]->n_arguments; k++) {
			const struct capture_argument *a = &d->p[0]->arguments[k];

			if (!capture_is_tensor(a) || strcmp(a->name, name) != 0)
				continue;
			const char *type = draft_name_type(d, k);

			if (!type)
				return asc_err_nomem(e);
			json_write_string(&d->w, name, type);
		}
	}
	json_write_end(&d->w, '}');
	json_write_end(&d->w, '}');
	return ASC_OK;
}

static enum asc_status write_export(struct capture_draft *d, struct asc_err *e)
{
	const size_t n = json_count(json_find(d->p[0]->node, "key"));

	json_write_begin(&d->w, "export", '{');
	if (write_names(d, "triton", n, true, e) ||
	    (is_tuned_by(d, "flag_gems.") && write_names(d, "flaggems", n, false, e)) ||
	    (is_tuned_by(d, "fla.") && is_key_of_fla(d, n) && write_fla_names(d, n, e)))
		return e->status;
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* Writes the kernel's place in its package, without a digest: that of a kernel which lives is not
 * that of its text in the package. */
static enum asc_status write_origin(struct capture_draft *d, struct asc_err *e)
{
	const struct capture_kernel *k = d->kernel;
	char *place = str_print("%s:%s", k->module, k->entry);

	if (!place)
		return asc_err_nomem(e);
	json_write_begin(&d->w, WORKLOAD_ORIGIN, '{');
	json_write_string(&d->w, "kernel", place);
	json_write_string(&d->w, "package", k->package);
	json_write_string(&d->w, "version", k->version);
	json_write_end(&d->w, '}');
	free(place);
	return ASC_OK;
}

/* ---- the file ---- */

static enum asc_status write_file(struct capture_draft *d, struct asc_err *e)
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
	if (s || (k->version && write_origin(d, e)) || write_problems(d, e))
		return e->status;
	json_write_begin(&d->w, "tensors", '{');
	for (size_t i = 0; i < p->n_arguments; i++) {
		const struct capture_argument *a = &p->arguments[i];

		if ((capture_is_tensor(a) || a->kind == CAPTURED_NONE) &&
		    draft_write_tensor(d, i, e))
			return e->status;
		if (capture_is_tensor(a) && strcmp(draft_find_role(d, i), "out") != 0)
			saved &= draft_is_saved(d, i);
	}
	json_write_end(&d->w, '}');
	for (size_t i = 0; i < d->n; i++)
		recorded |= d->p[i]->n_sets > 0 && json_count(d->p[i]->sets[0].after) > 0;
	/* Recorded outputs are right for the recorded inputs alone. */
	json_write_string(&d->w, "reference", saved && recorded ? "files" : "configuration");
	/* A program launches a kernel behind the one that made its data: of 56 kernels of libraries
	 * the median time in the program was a sixth of the way from hot to cold
	 * (tests/bench/capture). */
	json_write_string(&d->w, "cache", "hot");
	if (write_implementation(d, e) || write_export(d, e))
		return e->status;
	json_write_end(&d->w, '}');
	return ASC_OK;
}

/* Begins a pass. */
static void begin(struct capture_draft *d, struct buf *out)
{
	buf_clear(out);
	buf_clear(&d->tables);
	d->w = (struct json_writer){.out = out};
	d->tables_writer = (struct json_writer){.out = &d->tables};
	d->n_tables = 0;
	json_write_begin(&d->tables_writer, NULL, '{');
}

static enum asc_status write_draft(struct capture_draft *d, struct buf *out, struct asc_err *e)
{
	struct buf flat = {0};
	enum asc_status s = draft_check(d, e);

	if (s == ASC_OK)
		s = draft_find_parameters(d, e);
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

static void draft_fini(struct capture_draft *d)
{
	for (size_t i = 0; i < d->n_parameters; i++)
		free(d->parameters[i].values);
	free(d->parameters);
	free(d->dims);
	free(d->types);
	free(d->table_names);
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
		struct capture_draft d = {.c = c,
					  .form = form,
					  .kernel = form->kernel,
					  .p = form->problems,
					  .n = form->n_kept};

		buf_clear(out);
		*form->doubt = '\0';
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
