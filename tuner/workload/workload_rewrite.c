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
	if (s == ASC_OK)
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
	if (json_ends(n, json_read_object(n, &rewrite_spec, u, e)))
		return e->status;
	if (!u->ops || !json_is_sound(n))
		return ASC_OK;
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
		if (json_ends(n, parameter_find(i, u->parameters.names[k], n, &u->pair[k], e)))
			return e->status;
	if (!json_is_sound(u->parameters.node))
		return ASC_OK;
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
	if (earlier->ops->pair && strcmp(earlier->parameters.names[1], u->parameters.names[1]) == 0)
		return json_fail(u->node, e,
				 "%s is the second parameter of an earlier rewrite already",
				 u->parameters.names[1]);
	return ASC_OK;
}

static bool is_sound_member(const struct json_node *n, const char *key)
{
	const struct json_node *member = json_find(n, key);
	return member ? json_is_sound(member) : !json_has_stray(n);
}

/* True where no fault is in what the rewrite looks at: two parameters, or launch and arguments. */
static bool is_checkable(const struct implementation *i, const struct rewrite_use *u)
{
	bool sound = json_is_sound(u->node);
	for (size_t k = 0; k < 2 && sound && u->ops->pair; k++)
		sound = json_is_sound(i->parameters[u->pair[k]].node);
	for (size_t k = 0; k < i->n_calls && sound && !u->ops->pair; k++)
		sound = is_sound_member(i->calls[k].node, "launch") &&
			is_sound_member(i->calls[k].node, "arguments");
	return sound;
}

enum asc_status rewrites_check(struct implementation *i, struct asc_err *e)
{
	for (size_t k = 0; k < i->n_rewrites; k++) {
		struct rewrite_use *u = &i->rewrites[k];
		const struct json_node *n = u->node;
		if (!u->ops || !json_is_sound(n) || !workload_is_whole(i->node, "parameters"))
			continue;
		if (u->ops->pair && json_ends(n, pair_find(i, u, e)))
			return e->status;
		if (is_checkable(i, u) && json_ends(n, u->ops->check(i, u, e)))
			return e->status;
		for (size_t j = 0; j < k; j++) {
			const struct rewrite_use *earlier = &i->rewrites[j];
			if (earlier->ops && json_is_sound(earlier->node) &&
			    json_ends(n, clash(earlier, u, e)))
				return e->status;
		}
	}
	return ASC_OK;
}
