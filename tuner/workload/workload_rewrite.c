#include "tuner/workload/workload_read.h"

#include <string.h>

#include "tuner/workload/rewrite.h"
#include "tuner/workload/space/config.h"

static enum asc_status name_read(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *names[REWRITE_MAX + 1] = {0};
	int choice = 0;
	for (size_t i = 0; rewrite_list[i]; i++)
		names[i] = rewrite_list[i]->name;
	enum asc_status s = workload_read_choice(n, "rewrite", names, &choice, e);
	*(const struct rewrite_ops **)member = rewrite_list[choice];
	return s;
}

static enum asc_status pair_read(const struct json_node *n, void *member, struct asc_err *e)
{
	return workload_read_names(n, "parameter", NULL, member, e);
}

#define AT(member) offsetof(struct rewrite_use, member)

static const struct json_field rewrite_fields[] = {
	{"rewrite", JSON_AS_CUSTOM, true, AT(ops), name_read, NULL},
	{"parameters", JSON_AS_CUSTOM, false, AT(parameters), pair_read, NULL},
	{0}};

const struct json_spec rewrite_spec = {"rewrite", rewrite_fields};

enum asc_status rewrite_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct rewrite_use *u = member;
	u->node = n;
	if (json_read_object(n, &rewrite_spec, u, e))
		return e->status;
	if (!u->ops->pair)
		return u->parameters.node ? json_fail(u->parameters.node, e,
						      "%s is not about parameters", u->ops->name)
					  : ASC_OK;
	if (u->parameters.n != 2)
		return json_fail(n, e, "%s needs \"parameters\": the names of %s, found %zu",
				 u->ops->name, u->ops->pair, u->parameters.n);
	return ASC_OK;
}

static enum asc_status parameter_find(const struct implementation *i, const char *name,
				      const struct json_node *n, size_t *out, struct asc_err *e)
{
	const char *names[CONFIG_MAX_PARAMETERS + 1] = {0};
	for (*out = 0; *out < i->n_parameters; ++*out) {
		names[*out] = i->parameters[*out].name;
		if (strcmp(names[*out], name) == 0)
			return ASC_OK;
	}
	return json_fail_unknown(n, e, "parameter", name, names);
}

static enum asc_status pair_find(const struct implementation *i, struct rewrite_use *u,
				 struct asc_err *e)
{
	const struct json_node *n = json_first(u->parameters.node);
	for (size_t k = 0; k < 2; k++, n = json_next(n))
		if (parameter_find(i, u->parameters.names[k], n, &u->pair[k], e))
			return e->status;
	return u->pair[0] != u->pair[1]
		       ? ASC_OK
		       : json_fail(u->parameters.node, e, "names the same parameter twice");
}

/* Checks that each parameter is the second of at most one pair, so that its value elsewhere is
 * determined once. */
static enum asc_status clash(const struct rewrite_use *earlier, const struct rewrite_use *u,
			     struct asc_err *e)
{
	if (!u->ops->pair)
		return earlier->ops != u->ops
			       ? ASC_OK
			       : json_fail(u->node, e, "%s is listed twice", u->ops->name);
	if (earlier->ops->pair && earlier->pair[1] == u->pair[1])
		return json_fail(u->node, e,
				 "%s is the second parameter of an earlier rewrite already",
				 u->parameters.names[1]);
	return ASC_OK;
}

enum asc_status rewrites_check(struct implementation *i, struct asc_err *e)
{
	for (size_t k = 0; k < i->n_rewrites; k++) {
		struct rewrite_use *u = &i->rewrites[k];
		if (u->ops->pair && pair_find(i, u, e))
			return e->status;
		if (u->ops->check(i, u, e))
			return e->status;
		for (size_t j = 0; j < k; j++)
			if (clash(&i->rewrites[j], u, e))
				return e->status;
	}
	return ASC_OK;
}
