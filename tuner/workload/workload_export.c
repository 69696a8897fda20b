/* "export": what operator libraries call the things of a workload. */
#include <stddef.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/workload_read.h"

/* ---- one library ---- */

/* Reads an object of strings. */
static enum asc_status read_texts(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *text;

	if (json_expect(n, JSON_OBJECT, e))
		return e->status;
	for (const struct json_node *m = json_first(n); m; m = json_next(m))
		if (json_ends(m, json_get_string(m, &text, e)))
			return e->status;
	*(const struct json_node **)member = n;
	return ASC_OK;
}

#define AT(member) offsetof(struct library_names, member)
static const struct json_field fields[] = {
	{"operator", JSON_AS_STRING, true, AT(op), NULL, NULL},
	{"sizes", JSON_AS_CUSTOM, false, AT(sizes), read_texts, NULL},
	{"types", JSON_AS_CUSTOM, false, AT(types), read_texts, NULL},
	{"parameters", JSON_AS_CUSTOM, false, AT(parameters), read_texts, NULL},
	{"kernels", JSON_AS_CUSTOM, false, AT(kernels), read_texts, NULL},
	{"default_index", JSON_AS_INT, false, AT(default_index), NULL, NULL},
	{0}};
const struct json_spec library_names_spec = {"export", fields};

enum asc_status library_names_read(const struct json_node *n, struct library_names *out,
				   struct asc_err *e)
{
	*out = (struct library_names){.default_index = -1};
	if (json_ends(n, json_read_object(n, &library_names_spec, out, e)))
		return e->status;
	if (out->op && !*out->op &&
	    json_ends(n, json_fail(json_find(n, "operator"), e, "expected a name")))
		return e->status;
	const struct json_node *index = json_find(n, "default_index");

	/* -1 is the default, and no answer of a file's. */
	return index && out->default_index < 0
		       ? json_fail(index, e, "expected 0 or more, found %lld",
				   (long long)out->default_index)
		       : ASC_OK;
}

const char *library_names_own(const struct json_node *names, const char *name)
{
	const struct json_node *n = names ? json_find(names, name) : NULL;
	struct asc_err ignored;

	return n && json_get_string(n, &name, &ignored) ? NULL : name;
}

/* ---- all of a workload ---- */

enum asc_status exports_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct library_names names;

	if (json_type(n) != JSON_OBJECT)
		return json_fail(n, e, "expected an object of objects, one per library, found %s",
				 json_type_name(json_type(n)));
	for (const struct json_node *m = json_first(n); m; m = json_next(m)) {
		/* The database keeps other things under these keys, beside the libraries. */
		static const char *const taken[] = {WORKLOAD_TRACK_KEY, WORKLOAD_ORIGIN_KEY,
						    WORKLOAD_UNSUPPORTED_KEY, WORKLOAD_PYTHON_KEY,
						    NULL};

		if (json_ends(m, str_is_in(json_key(m), taken)
					 ? json_fail(m, e, "is no name of a library")
					 : library_names_read(m, &names, e)))
			return e->status;
	}
	*(const struct json_node **)member = n;
	return ASC_OK;
}

/* True where a problem has the dimension, and where a fault may hide it. */
static bool has_dimension(const struct workload *w, const char *name)
{
	if (w->n_problems == 0 || !workload_is_whole(json_root(w->doc), "problems"))
		return true;
	for (size_t i = 0; i < w->n_problems; i++)
		if (!workload_is_whole(w->problems[i].node, "dims"))
			return true;
	for (size_t i = 0; i < w->n_problems; i++)
		if (problem_find_dimension(&w->problems[i], name))
			return true;
	return false;
}

/* Fails for the dimension of no problem; the first problem's dimensions are suggested. */
static enum asc_status fail_dimension(const struct workload *w, const struct json_node *n,
				      const char *name, struct asc_err *e)
{
	const struct problem *p = &w->problems[0];
	const char **names = json_alloc(n, (p->n_dims + 1) * sizeof *names);

	if (!names)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->n_dims; i++)
		names[i] = p->dims[i].name;
	return json_fail_unknown(n, e, "dimension", name, names);
}

/* True where an implementation has the parameter, and where a fault may hide it. */
static bool has_parameter(const struct workload *w, const char *name)
{
	if (!workload_is_whole(json_root(w->doc), "implementations"))
		return true;
	for (size_t i = 0; i < w->n_implementations; i++) {
		const struct implementation *m = &w->implementations[i];

		if (!workload_is_whole(m->node, "parameters"))
			return true;
		for (size_t k = 0; k < m->n_parameters; k++)
			if (strcmp(m->parameters[k].name, name) == 0)
				return true;
	}
	return false;
}

/* Fails for the parameter of no implementation; those of the first one are suggested. */
static enum asc_status fail_parameter(const struct workload *w, const struct json_node *n,
				      const char *name, struct asc_err *e)
{
	const struct implementation *m = &w->implementations[0];
	const char **names = json_alloc(n, (m->n_parameters + 1) * sizeof *names);

	if (!names)
		return asc_err_nomem(e);
	for (size_t i = 0; i < m->n_parameters; i++)
		names[i] = m->parameters[i].name;
	return json_fail_unknown(n, e, "parameter", name, names);
}

static enum asc_status check_library(const struct workload *w, const struct json_node *library,
				     struct asc_err *e)
{
	struct library_names names;
	const char *text;

	/* Read again: the struct is not kept, only the node. */
	if (json_ends(library, library_names_read(library, &names, e)))
		return e->status;
	for (const struct json_node *m = names.sizes ? json_first(names.sizes) : NULL; m;
	     m = json_next(m)) {
		const enum asc_status s = json_get_string(m, &text, e);
		if (json_ends(m, s) || (s == ASC_OK && !has_dimension(w, text) &&
					json_ends(m, fail_dimension(w, m, text, e))))
			return e->status;
	}
	for (const struct json_node *m = names.parameters ? json_first(names.parameters) : NULL; m;
	     m = json_next(m)) {
		const enum asc_status s = json_get_string(m, &text, e);
		if (json_ends(m, s) || (s == ASC_OK && !has_parameter(w, text) &&
					json_ends(m, fail_parameter(w, m, text, e))))
			return e->status;
	}
	for (size_t i = 0; i < w->n_unsupported; i++) {
		const struct json_node *m = json_find(library, "default_index");
		const struct implementation *left_out = &w->unsupported[i];

		/* A rule would compare with what nobody has measured. */
		if (m && left_out->index >= 0 && left_out->index == names.default_index &&
		    json_ends(m, json_fail(m, e, "is %lld, the index of %s, which is unsupported",
					   (long long)left_out->index, left_out->name)))
			return e->status;
	}
	for (const struct json_node *m = names.kernels ? json_first(names.kernels) : NULL; m;
	     m = json_next(m))
		if (!workload_find_implementation(w, json_key(m)) &&
		    json_ends(m, workload_fail_implementation(w, names.kernels, json_key(m), e)))
			return e->status;
	return ASC_OK;
}

enum asc_status exports_check(const struct workload *w, struct asc_err *e)
{
	for (const struct json_node *m = w->exports ? json_first(w->exports) : NULL; m;
	     m = json_next(m))
		if (json_ends(m, check_library(w, m, e)))
			return e->status;
	return ASC_OK;
}
