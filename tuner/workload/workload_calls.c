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
	enum asc_status s = workload_check_identifier(n, t->name, e);
	return s != ASC_OK ? s : json_read_object(n, &scratch_spec, t, e);
}

enum asc_status implementation_read_scratch(const struct json_node *n, void *member,
					    struct asc_err *e)
{
	struct implementation *i = member;
	if (workload_check_count(n, "scratch tensors", WORKLOAD_MAX_SCRATCH, e))
		return e->status;
	i->scratch = workload_read_items(n, JSON_OBJECT, sizeof *i->scratch, scratch_read,
					 &i->n_scratch, e);
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
	{0}};

const struct json_spec call_spec = {"call", call_fields};

enum asc_status implementation_read_calls(const struct json_node *n, void *member,
					  struct asc_err *e)
{
	struct implementation *i = member;
	if (json_expect(n, JSON_ARRAY, e) ||
	    workload_check_count(n, "calls", WORKLOAD_MAX_CALLS, e))
		return e->status;
	if (!json_first(n))
		return json_fail(n, e, "is empty, expected at least one call");
	for (const struct json_node *c = json_first(n); c; c = json_next(c)) {
		struct callable *call = &i->calls[i->n_calls++];
		*call = (struct callable){.node = c};
		if (json_read_object(c, &call_spec, call, e))
			return e->status;
	}
	return ASC_OK;
}

enum asc_status implementation_take_calls(struct implementation *i, struct asc_err *e)
{
	const struct json_node *beside;
	for (const struct json_field *f = call_fields; f->key && i->n_calls > 0; f++) {
		beside = json_find(i->node, f->key);
		if (beside && f->read != names_read)
			return json_fail(beside, e,
					 "stands beside \"calls\", of which each has its own");
	}
	if (i->n_calls > 0)
		return ASC_OK;
	if (!json_find(i->node, "source"))
		return json_fail(i->node, e, "missing key \"source\", or \"calls\"");
	i->calls[0].node = i->node;
	i->n_calls = 1;
	return ASC_OK;
}

/* ---- checks ---- */

static bool passes(const struct callable *c, size_t tensor)
{
	for (size_t i = 0; i < c->n_arguments; i++) {
		const struct argument *a = &c->arguments[i];
		if ((a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP) && a->tensor == tensor)
			return true;
	}
	return false;
}

static bool any_passes(const struct callable *calls, size_t n, size_t tensor)
{
	size_t k = 0;
	while (k < n && !passes(&calls[k], tensor))
		k++;
	return k < n;
}

enum asc_status calls_check_outputs(const struct workload *w, const struct callable *calls,
				    size_t n, const struct json_node *node, struct asc_err *e)
{
	for (size_t i = 0; i < w->n_tensors; i++)
		if (w->tensors[i].role != ROLE_IN && !any_passes(calls, n, i))
			return json_fail(node, e,
					 "does not take tensor \"%s\" as an argument, but has to "
					 "write it",
					 w->tensors[i].name);
	return ASC_OK;
}

static bool is_vendor(const struct callable *c)
{
	return strcmp(c->builder, "vendor") == 0;
}

/* Checks that the calls can be of one device: C is compiled for processors alone. */
static enum asc_status device_check(const struct implementation *i, struct asc_err *e)
{
	const struct callable *first = NULL;
	for (size_t k = 0; k < i->n_calls; k++) {
		const struct callable *c = &i->calls[k];
		if (is_vendor(c))
			continue;
		if (!first)
			first = c;
		if ((strcmp(first->builder, "cc") == 0) != (strcmp(c->builder, "cc") == 0))
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
	for (size_t k = 0; k < w->n_tensors; k++)
		if (strcmp(w->tensors[k].name, t->name) == 0)
			return json_fail(t->node, e, "\"%s\" is already a tensor", t->name);
	for (size_t k = 0; k < i->n_parameters; k++)
		if (strcmp(i->parameters[k].name, t->name) == 0)
			return json_fail(t->node, e, "\"%s\" is already a parameter", t->name);
	if (!any_passes(i->calls, i->n_calls, w->n_tensors + index))
		return json_fail(t->node, e, "is an argument of no call, so nothing writes it");
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
	for (size_t k = 0; k < c->parameters.n; k++, n = json_next(n)) {
		const char *name = c->parameters.names[k];
		const struct name_list before = {c->parameters.names, k, NULL};
		if (!name_list_has(&known, name))
			return json_fail_unknown(n, e, "parameter", name, names);
		if (k > 0 && name_list_has(&before, name))
			return json_fail(n, e, "parameter \"%s\" is listed twice", name);
	}
	return ASC_OK;
}

enum asc_status implementation_check_calls(const struct workload *w, struct implementation *i,
					   struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	bool vendors = true;
	for (size_t k = 0; k < i->n_calls && s == ASC_OK; k++) {
		s = callable_check(w, i, &i->calls[k], e);
		if (s == ASC_OK)
			s = parameters_check(i, &i->calls[k], e);
		vendors &= s == ASC_OK && is_vendor(&i->calls[k]);
	}
	if (s == ASC_OK)
		s = device_check(i, e);
	if (s == ASC_OK && !vendors) /* a library knows what it writes */
		s = calls_check_outputs(w, i->calls, i->n_calls, i->node, e);
	for (size_t k = 0; k < i->n_scratch && s == ASC_OK; k++)
		s = scratch_check(w, i, k, e);
	return s;
}
