/* Twins: C functions that stand for kernels of an NPU where there is none. */
#include "tuner/workload/workload_read.h"

#include <string.h>

#define AT(member) offsetof(struct callable, member)

static const struct json_field twin_fields[] = {
	{"source", JSON_AS_STRING, true, AT(twin.source), NULL, NULL},
	{"entry", JSON_AS_STRING, true, AT(twin.entry), NULL, NULL},
	{0}};

const struct json_spec twin_spec = {"standin", twin_fields};

enum asc_status callable_read_twin(const struct json_node *n, void *member, struct asc_err *e)
{
	struct callable *c = member;
	c->twin.node = n;
	return json_read_object(n, &twin_spec, c, e);
}

enum asc_status twin_check(const struct workload *w, const struct implementation *i,
			   const struct callable *c, struct asc_err *e)
{
	const struct json_node *n = c->twin.node, *source = n ? json_find(n, "source") : NULL;
	if (!n)
		return ASC_OK;
	if (i && !name_list_has(&i->devices, "npu") &&
	    json_ends(n, json_fail(n, e, "stands for a kernel of an NPU, and %s is for none",
				   i->name)))
		return e->status;
	const size_t length = c->twin.source ? strlen(c->twin.source) : 0;
	if (c->twin.source && (length < 3 || strcmp(c->twin.source + length - 2, ".c") != 0) &&
	    json_ends(n, json_fail(source, e, "is \"%s\", expected a C file (.c)", c->twin.source)))
		return e->status;
	if (json_ends(n, workload_check_source(w, source, c->twin.source, e)))
		return e->status;
	return c->twin.entry ? workload_check_identifier(json_find(n, "entry"), c->twin.entry, e)
			     : ASC_OK;
}

void workload_use_twins(struct workload *w)
{
	for (size_t i = 0; i < w->n_implementations; i++)
		for (size_t k = 0; k < w->implementations[i].n_calls; k++) {
			struct callable *c = &w->implementations[i].calls[k];
			if (!c->twin.node)
				continue;
			c->source = c->twin.source;
			c->builder = "twin";
			c->entry.n = 1;
			c->entry.list[0].device = "npu";
			c->entry.list[0].name = c->twin.entry;
			c->flags = (struct name_list){0}; /* of another compiler */
		}
}
