/* Finders: problems, implementations, tensors and names of a workload that was read, and the words
 * that name a place in it. Readers and checks of the file call finders; no finder calls a reader or
 * a check. */
#include <stdio.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/workload_read.h"

const struct problem *workload_find_problem(const struct workload *w, const char *name)
{
	for (size_t i = 0; i < w->n_problems; i++)
		if (strcmp(w->problems[i].name, name) == 0)
			return &w->problems[i];
	return NULL;
}

size_t workload_place_tensor(const struct workload *w, const char *name)
{
	size_t i = 0;

	while (i < w->n_tensors && strcmp(w->tensors[i].name, name) != 0)
		i++;
	return i;
}

bool problem_is_called(const struct problem *p, const char *name)
{
	return strcmp(p->name, name) == 0 || (p->ladder && strcmp(p->ladder, name) == 0);
}

const struct implementation *workload_find_implementation(const struct workload *w,
							  const char *name)
{
	for (size_t i = 0; i < w->n_implementations; i++)
		if (strcmp(w->implementations[i].name, name) == 0)
			return &w->implementations[i];
	return NULL;
}

const struct implementation *workload_find_unsupported(const struct workload *w, const char *name)
{
	for (size_t i = 0; i < w->n_unsupported; i++)
		if (strcmp(w->unsupported[i].name, name) == 0)
			return &w->unsupported[i];
	return NULL;
}

void implementation_print_name(const char *name, int64_t index, struct buf *out)
{
	buf_add_str(out, name);
	if (index >= 0)
		buf_print(out, " (index %lld)", (long long)index);
}

void workload_print_unsupported(const struct workload *w, const char *device, struct buf *out)
{
	const size_t before = out->len;

	for (size_t k = 0; k < w->n_unsupported; k++) {
		const struct implementation *i = &w->unsupported[k];

		if (device && !name_list_has(&i->devices, device))
			continue;
		buf_add_str(out, out->len > before ? "; " : "");
		implementation_print_name(i->name, i->index, out);
		buf_print(out, ": %s", i->unsupported);
	}
}

const struct value_table *workload_find_table(const struct implementation *i, const char *name)
{
	for (size_t k = 0; i && k < i->n_tables; k++)
		if (strcmp(i->tables[k].name, name) == 0)
			return &i->tables[k];
	return NULL;
}

bool workload_is_whole(const struct json_node *object, const char *key)
{
	const struct json_node *n = json_find(object, key);

	return n ? !json_is_faulty(n) : !json_has_stray(object);
}

bool problem_hides_dtype(const struct problem *p, const char *name)
{
	const struct json_node *list = json_find(p->node, "dtypes");
	const struct json_node *variable = list ? json_find(list, name) : NULL;

	return variable ? !json_is_sound(variable) : !workload_is_whole(p->node, "dtypes");
}

/* False where a fault may hide the name of an implementation. */
static bool has_all_names(const struct workload *w)
{
	if (!w->implementations || !workload_is_whole(json_root(w->doc), "implementations"))
		return false;
	for (size_t i = 0; i < w->n_implementations; i++) {
		const struct json_node *name = json_find(w->implementations[i].node, "name");
		if (!name || json_is_faulty(name))
			return false;
	}
	return true;
}

enum asc_status workload_fail_implementation(const struct workload *w, const struct json_node *n,
					     const char *name, struct asc_err *e)
{
	/* Behind a fault the name may be right. */
	if (!has_all_names(w))
		return ASC_OK;
	const char **names = json_alloc(n, (w->n_implementations + 1) * sizeof *names);
	if (!names)
		return asc_err_nomem(e);
	for (size_t i = 0; i < w->n_implementations; i++)
		names[i] = w->implementations[i].name;
	return json_fail_unknown(n, e, "implementation", name, names);
}

bool callable_is_of(const struct callable *c, const char *builder)
{
	return c->builder && strcmp(c->builder, builder) == 0;
}

bool callable_is_library(const struct callable *c)
{
	return callable_is_of(c, "vendor") || callable_is_of(c, "python");
}

const struct callable *workload_reference(const struct workload *w, const char *device)
{
	for (size_t i = 0; i < w->n_references_on; i++)
		if (strcmp(w->references_on[i].device, device) == 0)
			return &w->references_on[i].call;
	return &w->reference;
}

const struct tensor *workload_find_tensor(const struct workload *w, const struct implementation *i,
					  size_t index)
{
	return index < w->n_tensors ? &w->tensors[index] : &i->scratch[index - w->n_tensors];
}

const char *per_device_find(const struct per_device *p, const char *device)
{
	/* One name for all devices has no device. */
	for (size_t i = 0; i < p->n; i++)
		if (!p->list[i].device || strcmp(p->list[i].device, device) == 0)
			return p->list[i].name;
	return NULL;
}

const struct name_list *workload_find_baselines(const struct workload *w, const char *device)
{
	const struct baseline_names *b = &w->baselines;

	for (size_t i = 0; i < b->n; i++)
		if (!b->list[i].device || strcmp(b->list[i].device, device) == 0)
			return &b->list[i].names;
	return NULL;
}

const char *callable_entry(const struct callable *c, const char *device)
{
	return per_device_find(&c->entry, device);
}

const struct dimension *problem_find_dimension(const struct problem *p, const char *name)
{
	for (size_t i = 0; i < p->n_dims; i++)
		if (strcmp(p->dims[i].name, name) == 0)
			return &p->dims[i];
	return NULL;
}

const struct dtype_variable *problem_find_variable(const struct problem *p, const char *name)
{
	for (size_t i = 0; i < p->n_dtypes; i++)
		if (strcmp(p->dtypes[i].name, name) == 0)
			return &p->dtypes[i];
	return NULL;
}

const char *workload_find_meaning(const struct workload *w, const char *name)
{
	for (size_t i = 0; i < w->n_problems; i++) {
		if (problem_find_dimension(&w->problems[i], name))
			return "a dimension";
		if (problem_find_variable(&w->problems[i], name))
			return "a dtype variable";
	}
	return NULL;
}

bool problem_find_dtype(const struct problem *p, const char *name, enum dtype *out)
{
	/* Variables first; they cannot have the name of a type. */
	const struct dtype_variable *v = problem_find_variable(p, name);

	if (v)
		*out = v->dtype;
	return v || dtype_parse(name, out);
}

const struct parameter *implementation_find_parameter(const struct implementation *i,
						      const char *name)
{
	for (size_t k = 0; k < i->n_parameters; k++)
		if (strcmp(i->parameters[k].name, name) == 0)
			return &i->parameters[k];
	return NULL;
}

bool parameter_has_value(const struct parameter *p, struct value v)
{
	for (size_t i = 0; i < p->n_values; i++)
		if (value_equal(p->values[i], v))
			return true;
	return false;
}

struct value problem_default(const struct problem *p, const struct parameter *parameter)
{
	for (size_t i = 0; i < p->n_defaults; i++)
		if (strcmp(p->defaults[i].name, parameter->name) == 0)
			return p->defaults[i].value;
	return parameter->default_value;
}

bool name_list_has(const struct name_list *l, const char *name)
{
	/* Absent means no restriction, which an empty list would not. */
	if (!l->names)
		return true;
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->names[i], name) == 0)
			return true;
	return false;
}

void call_member_print(const struct implementation *i, size_t call, const char *member,
		       char out[CALL_MEMBER_SIZE])
{
	if (i->calls[call].node == i->node)
		(void)snprintf(out, CALL_MEMBER_SIZE, "%s", member);
	else
		(void)snprintf(out, CALL_MEMBER_SIZE, "calls[%zu].%s", call, member);
}

enum asc_status call_wrap(const struct implementation *i, size_t call, struct asc_err *e)
{
	if (i->calls[call].node == i->node)
		return e->status;
	const struct callable *c = &i->calls[call];

	/* The entry's name says more than a file; of several entries none is the right one here. */
	return asc_err_wrap(e, "calls[%zu], %s", call,
			    c->entry.n == 1 ? c->entry.list[0].name : c->source);
}

size_t tensor_floating(const struct workload *w, const struct tensor *t)
{
	size_t n = 0;
	enum dtype dtype;
	for (size_t i = 0; i < w->n_problems; i++)
		if (problem_find_dtype(&w->problems[i], t->dtype, &dtype))
			n += dtype_is_float(dtype);
	return n;
}
