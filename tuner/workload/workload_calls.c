/* An implementation as a list of calls, and the tensors between them. */
#include "tuner/workload/workload_read.h"

#include <string.h>

#include "tuner/workload/space/config.h"

/* ---- reading ---- */

static const struct json_field scratch_fields[] = {
	{"shape", JSON_AS_CUSTOM, true, 0, tensor_read_shape, NULL},
	{"dtype", JSON_AS_STRING, true, offsetof(struct tensor, dtype), NULL, NULL},
	{0}};

const struct json_spec scratch_spec = {"scratch", scratch_fields};

static enum asc_status scratch_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct tensor *t = member;
	t->name = json_key(n);
	t->node = n;
	t->dtype = "";
	if (json_ends(n, workload_check_identifier(n, t->name, e)))
		return e->status;
	return json_read_object(n, &scratch_spec, t, e);
}

enum asc_status implementation_read_scratch(const struct json_node *n, void *member,
					    struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct tensor), scratch_read,
					      "scratch tensors", WORKLOAD_MAX_SCRATCH};
	struct implementation *i = member;
	i->scratch = workload_read_items(n, &rule, &i->n_scratch, e);
	return i->scratch ? ASC_OK : e->status;
}

static enum asc_status names_read(const struct json_node *n, void *member, struct asc_err *e)
{
	return workload_read_names(n, "parameter", NULL, &((struct callable *)member)->parameters,
				   e);
}

static const struct json_field call_fields[] = {
	{"builder", JSON_AS_CUSTOM, false, 0, callable_read_builder, NULL},
	{"source", JSON_AS_STRING, true, offsetof(struct callable, source), NULL, NULL},
	{"entry", JSON_AS_CUSTOM, false, 0, callable_read_entry, NULL},
	{"parameters", JSON_AS_CUSTOM, false, 0, names_read, NULL},
	{"launch", JSON_AS_CUSTOM, false, 0, callable_read_launch, &launch_spec},
	{"arguments", JSON_AS_CUSTOM, false, 0, callable_read_arguments, &argument_spec},
	{"constants", JSON_AS_CUSTOM, false, 0, callable_read_constants, &constant_spec},
	{"flags", JSON_AS_CUSTOM, false, 0, callable_read_flags, NULL},
	{"standin", JSON_AS_CUSTOM, false, 0, callable_read_twin, &twin_spec},
	{"verdicts", JSON_AS_STRING, false, offsetof(struct callable, verdicts.file), NULL, NULL},
	{"returns", JSON_AS_CUSTOM, false, 0, callable_read_returns, NULL},
	{"make", JSON_AS_BOOL, false, offsetof(struct callable, python.make), NULL, NULL},
	{"available", JSON_AS_STRING, false, offsetof(struct callable, python.available), NULL,
	 NULL},
	{"tensors", JSON_AS_CUSTOM, false, 0, callable_read_tensors, NULL},
	{0}};

const struct json_spec call_spec = {"call", call_fields};

static enum asc_status call_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct callable *c = member;
	c->node = n;
	return json_read_object(n, &call_spec, c, e);
}

enum asc_status implementation_read_calls(const struct json_node *n, void *member,
					  struct asc_err *e)
{
	static const struct item_rule rule = {JSON_ARRAY, sizeof(struct callable), call_read,
					      "calls", WORKLOAD_MAX_CALLS};
	struct implementation *i = member;
	const struct callable *calls = workload_read_items(n, &rule, &i->n_calls, e);
	if (!calls)
		return e->status;
	if (i->n_calls == 0)
		return json_fail(n, e, "is empty, expected at least one call");
	/* Into the implementation's own array, the place of its only call where there is no
	 * list. */
	memcpy(i->calls, calls, i->n_calls * sizeof *calls);
	return ASC_OK;
}

enum asc_status implementation_take_calls(struct implementation *i, struct asc_err *e)
{
	const struct json_node *calls = json_find(i->node, "calls"), *beside;
	/* The table of a call's keys is the list of what may not stand beside "calls"; "parameters"
	 * has a meaning of its own there. */
	for (const struct json_field *f = call_fields; f->key && calls; f++) {
		beside = json_find(i->node, f->key);
		if (beside && f->read != names_read &&
		    json_ends(beside,
			      json_fail(beside, e,
					"stands beside \"calls\", of which each has its own")))
			return e->status;
	}
	if (calls)
		return ASC_OK;
	i->calls[0].node = i->node;
	i->n_calls = 1;
	if (json_find(i->node, "source") || json_has_stray(i->node))
		return ASC_OK;
	return json_fail(i->node, e, "missing key \"source\", or \"calls\"");
}

/* ---- checks ---- */

static bool python_returns(const struct callable *c, size_t tensor)
{
	size_t i = 0;
	while (i < c->python.n_returns && c->python.returns[i] != tensor)
		i++;
	return i < c->python.n_returns;
}

/* True where the call is passed the tensor, or returns it. */
static bool passes(const struct callable *c, size_t tensor)
{
	for (size_t i = 0; i < c->n_arguments; i++) {
		const struct argument *a = &c->arguments[i];
		if ((a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP) && a->tensor == tensor)
			return true;
	}
	return python_returns(c, tensor);
}

/* True where a fault in the call's arguments may hide a tensor that it passes. */
static bool hides_tensor(const struct callable *c)
{
	const struct json_node *n = json_find(c->node, "arguments");
	const struct json_node *returns = json_find(c->node, "returns");
	if (returns && !json_is_sound(returns))
		return true;
	if (!n)
		return json_is_faulty(c->node) || json_has_stray(c->node);
	if (json_is_faulty(n))
		return true;
	for (size_t i = 0; i < c->n_arguments; i++) {
		const struct argument *a = &c->arguments[i];
		if (json_is_faulty(a->node) || json_has_stray(a->node) ||
		    ((a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP) &&
		     a->tensor == ARGUMENT_NO_TENSOR))
			return true;
	}
	return false;
}

/* True where one of the calls passes the tensor, or may pass it. */
static bool any_passes(const struct callable *calls, size_t n, size_t tensor)
{
	size_t k = 0;
	while (k < n && !passes(&calls[k], tensor) && !hides_tensor(&calls[k]))
		k++;
	return k < n;
}

enum asc_status calls_check_outputs(const struct workload *w, const struct callable *calls,
				    size_t n, const struct json_node *node, struct asc_err *e)
{
	for (size_t i = 0; i < w->n_tensors; i++)
		if (w->tensors[i].role != ROLE_IN && !any_passes(calls, n, i) &&
		    json_ends(node,
			      json_fail(node, e,
					"does not take tensor \"%s\" as an argument, but has to "
					"write it",
					w->tensors[i].name)))
			return e->status;
	return ASC_OK;
}

/* Checks that the calls can be of one device: C is compiled for processors alone. */
static enum asc_status device_check(const struct implementation *i, struct asc_err *e)
{
	const struct callable *first = NULL;
	for (size_t k = 0; k < i->n_calls; k++) {
		const struct callable *c = &i->calls[k];
		/* Libraries are there for every device. */
		if (!c->builder || callable_is_library(c))
			continue;
		if (!first)
			first = c;
		if (callable_is_of(first, "cc") != callable_is_of(c, "cc"))
			return json_fail(json_find(c->node, "source"), e,
					 "is for builder %s, which has no device in common with %s "
					 "of an earlier call",
					 c->builder, first->builder);
	}
	return ASC_OK;
}

static enum asc_status scratch_check(const struct workload *w, const struct implementation *i,
				     size_t index, struct asc_err *e)
{
	const struct tensor *t = &i->scratch[index];
	/* Arguments name tensors of both kinds, and formulas parameters as well: one name, one
	 * meaning. */
	for (size_t k = 0; k < w->n_tensors; k++)
		if (strcmp(w->tensors[k].name, t->name) == 0)
			return json_fail(t->node, e, "\"%s\" is already a tensor", t->name);
	if (implementation_find_parameter(i, t->name))
		return json_fail(t->node, e, "\"%s\" is already a parameter", t->name);
	if (!any_passes(i->calls, i->n_calls, w->n_tensors + index) &&
	    workload_is_whole(i->node, "calls") &&
	    json_ends(t->node,
		      json_fail(t->node, e, "is an argument of no call, so nothing writes it")))
		return e->status;
	return workload_check_dtype(w, json_find(t->node, "dtype"), t->dtype, e);
}

static enum asc_status parameters_check(const struct implementation *i, const struct callable *c,
					struct asc_err *e)
{
	const char *names[CONFIG_MAX_PARAMETERS + 1] = {0};
	const struct name_list known = {names, i->n_parameters, NULL};
	const struct json_node *n = c->parameters.n > 0 ? json_first(c->parameters.node) : NULL;
	for (size_t k = 0; k < i->n_parameters; k++)
		names[k] = i->parameters[k].name;
	for (size_t k = 0; k < c->parameters.n; n = json_next(n)) {
		if (json_is_faulty(n))
			continue; /* not among the names */
		const char *name = c->parameters.names[k];
		const struct name_list before = {c->parameters.names, k, NULL};
		if (!name_list_has(&known, name) && workload_is_whole(i->node, "parameters") &&
		    json_ends(n, json_fail_unknown(n, e, "parameter", name, names)))
			return e->status;
		if (k > 0 && name_list_has(&before, name) &&
		    json_ends(n, json_fail(n, e, "parameter \"%s\" is listed twice", name)))
			return e->status;
		k++;
	}
	return ASC_OK;
}

/* Checks that no call is passed what an earlier one returns: it is copied to the tensor where
 * outputs are compared, and not between the calls. */
static enum asc_status returns_check(const struct implementation *i, struct asc_err *e)
{
	for (size_t k = 1; k < i->n_calls; k++)
		for (size_t m = 0; m < i->calls[k].n_arguments; m++) {
			const struct argument *a = &i->calls[k].arguments[m];
			for (size_t j = 0; j < k && a->kind == ARG_TENSOR; j++)
				if (python_returns(&i->calls[j], a->tensor) &&
				    json_ends(a->node,
					      json_fail(a->node, e,
							"tensor \"%s\" is what calls[%zu] "
							"returns: a later call is not given it",
							a->tensor_name, j)))
					return e->status;
		}
	return ASC_OK;
}

/* Makes parameters of Python functions alone those of the launch: nothing is built for them. */
static enum asc_status stages_check(struct implementation *i, struct asc_err *e)
{
	for (size_t k = 0; k < i->n_calls; k++)
		if (!callable_is_of(&i->calls[k], "python"))
			return ASC_OK;
	for (size_t k = 0; k < i->n_parameters; k++) {
		const struct json_node *n = json_find(i->parameters[k].node, "stage");

		if (n && i->parameters[k].stage == STAGE_BUILD && !json_is_faulty(n) &&
		    json_ends(n, json_fail(n, e,
					   "is \"build\", and nothing is compiled for builder "
					   "python: expected \"launch\"")))
			return e->status;
		i->parameters[k].stage = STAGE_LAUNCH;
	}
	return ASC_OK;
}

enum asc_status implementation_check_calls(const struct workload *w, struct implementation *i,
					   struct asc_err *e)
{
	/* A call whose builder is unknown may write any output. */
	bool known = workload_is_whole(i->node, "calls"), vendors = true;
	for (size_t k = 0; k < i->n_calls; k++) {
		struct callable *c = &i->calls[k];
		if (json_ends(c->node, callable_check(w, i, c, e)) ||
		    json_ends(c->node, parameters_check(i, c, e)))
			return e->status;
		known &= c->builder != NULL;
		vendors &= callable_is_of(c, "vendor");
	}
	if (json_ends(i->node, device_check(i, e)) || json_ends(i->node, stages_check(i, e)) ||
	    json_ends(i->node, returns_check(i, e)))
		return e->status;
	/* a library knows what it writes */
	if (known && !vendors &&
	    json_ends(i->node, calls_check_outputs(w, i->calls, i->n_calls, i->node, e)))
		return e->status;
	for (size_t k = 0; k < i->n_scratch; k++)
		if (json_ends(i->node, scratch_check(w, i, k, e)))
			return e->status;
	return ASC_OK;
}
