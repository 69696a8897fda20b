#include "tuner/workload/workload_read.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"
#include "tuner/workload/expr/expr.h"
#include "tuner/workload/rewrite.h"
#include "tuner/workload/space/config.h"

enum { MAX_REASON = 200 }; /* characters: a line or two */

static const char *const space_names_known[] = {"ub",  "l1",     "l0a",    "l0b",
						"l0c", "shared", "onchip", NULL};

/* ---- memory ---- */

static enum asc_status live_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct tile *t = member;
	const struct json_node *first = json_first(n);
	if (json_type(n) != JSON_ARRAY || json_count(n) != 2)
		return json_fail(n, e, "expected [first, last], the steps between which it lives");
	enum asc_status s = json_get_int(first, &t->first, e);
	if (s == ASC_OK)
		s = json_get_int(json_next(first), &t->last, e);
	if (s == ASC_OK && (t->first < 0 || t->last < t->first))
		s = json_fail(n, e, "expected 0 <= first <= last");
	return s;
}

static const struct json_field tile_fields[] = {
	{"tile", JSON_AS_STRING, true, offsetof(struct tile, name), NULL, NULL},
	{"bytes", JSON_AS_CUSTOM, true, offsetof(struct tile, bytes), workload_read_formula, NULL},
	{"live", JSON_AS_CUSTOM, true, 0, live_read, NULL},
	{0}};

static const struct json_spec tile_spec = {"tile", tile_fields};

static enum asc_status tile_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct tile *t = member;
	if (json_ends(n, json_read_object(n, &tile_spec, t, e)))
		return e->status;
	return workload_check_name(json_find(n, "tile"), t->name, e);
}

static enum asc_status tiles_read(const struct json_node *n, struct memory_use *m,
				  struct asc_err *e)
{
	static const struct item_rule rule = {JSON_ARRAY, sizeof(struct tile), tile_read, "tiles",
					      WORKLOAD_MAX_TILES};
	m->tiles = workload_read_items(n, &rule, &m->n_tiles, e);
	/* Messages name tiles, so each has a name of its own. */
	return m->tiles ? workload_check_distinct(n, "tile", e) : e->status;
}

static enum asc_status use_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct memory_use *m = member;
	m->node = n;
	m->space = json_key(n);
	for (size_t i = 0; space_names_known[i]; i++)
		if (strcmp(space_names_known[i], m->space) == 0)
			return json_type(n) == JSON_ARRAY ? tiles_read(n, m, e)
							  : workload_read_formula(n, &m->bytes, e);
	return json_fail_unknown(n, e, "memory space", m->space, space_names_known);
}

static enum asc_status memory_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct memory_use), use_read,
					      "memory spaces", SIZE_MAX};
	struct implementation *i = member;
	i->memory = workload_read_items(n, &rule, &i->n_memory, e);
	return i->memory ? ASC_OK : e->status;
}

/* ---- rewrites ---- */

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

#undef AT

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
		/* Each pair of rewrites is checked once, at the later one. */
		for (size_t j = 0; j < k; j++) {
			const struct rewrite_use *earlier = &i->rewrites[j];
			if (earlier->ops && json_is_sound(earlier->node) &&
			    json_ends(n, clash(earlier, u, e)))
				return e->status;
		}
	}
	return ASC_OK;
}

/* ---- the rest ---- */

static enum asc_status parameters_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct parameter), parameter_read,
					      "parameters", CONFIG_MAX_PARAMETERS};
	struct implementation *i = member;
	i->parameters = workload_read_items(n, &rule, &i->n_parameters, e);
	return i->parameters ? ASC_OK : e->status;
}

static enum asc_status constraints_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_ARRAY, sizeof(struct formula),
					      workload_read_formula, "constraints",
					      WORKLOAD_MAX_CONSTRAINTS};
	struct implementation *i = member;
	i->constraints = workload_read_items(n, &rule, &i->n_constraints, e);
	return i->constraints ? ASC_OK : e->status;
}

static enum asc_status rewrites_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_ARRAY, sizeof(struct rewrite_use), rewrite_read,
					      "rewrites", SIZE_MAX};
	struct implementation *i = member;
	i->rewrites = workload_read_items(n, &rule, &i->n_rewrites, e);
	return i->rewrites ? ASC_OK : e->status;
}

#define AT(member) offsetof(struct implementation, member)

static const struct json_field implementation_fields[] = {
	{"name", JSON_AS_STRING, true, AT(name), NULL, NULL},
	{"index", JSON_AS_INT, false, AT(index), NULL, NULL},
	{"devices", JSON_AS_CUSTOM, false, AT(devices), workload_read_devices, NULL},
	{"when", JSON_AS_CUSTOM, false, AT(when), workload_read_formula, NULL},
	{"builder", JSON_AS_CUSTOM, false, AT(calls[0]), callable_read_builder, NULL},
	{"source", JSON_AS_STRING, false, AT(calls[0].source), NULL, NULL},
	{"entry", JSON_AS_CUSTOM, false, AT(calls[0]), callable_read_entry, NULL},
	{"calls", JSON_AS_CUSTOM, false, 0, implementation_read_calls, &call_spec},
	{"scratch", JSON_AS_CUSTOM, false, 0, implementation_read_scratch, &scratch_spec},
	{"parameters", JSON_AS_CUSTOM, false, 0, parameters_read, &parameter_spec},
	{"constraints", JSON_AS_CUSTOM, false, 0, constraints_read, NULL},
	{"memory", JSON_AS_CUSTOM, false, 0, memory_read, &tile_spec},
	{"launch", JSON_AS_CUSTOM, false, AT(calls[0]), callable_read_launch, &launch_spec},
	{"arguments", JSON_AS_CUSTOM, false, AT(calls[0]), callable_read_arguments, &argument_spec},
	{"rewrites", JSON_AS_CUSTOM, false, 0, rewrites_read, &rewrite_spec},
	{"constants", JSON_AS_CUSTOM, false, AT(calls[0]), callable_read_constants, &constant_spec},
	{"flags", JSON_AS_CUSTOM, false, AT(calls[0]), callable_read_flags, NULL},
	{"standin", JSON_AS_CUSTOM, false, AT(calls[0]), callable_read_twin, &twin_spec},
	{"verdicts", JSON_AS_STRING, false, AT(calls[0].verdicts.file), NULL, NULL},
	{"returns", JSON_AS_CUSTOM, false, AT(calls[0]), callable_read_returns, NULL},
	{"make", JSON_AS_BOOL, false, AT(calls[0].python.make), NULL, NULL},
	{"available", JSON_AS_STRING, false, AT(calls[0].python.available), NULL, NULL},
	{"tensors", JSON_AS_CUSTOM, false, AT(calls[0]), callable_read_tensors, NULL},
	{"tables", JSON_AS_CUSTOM, false, 0, implementation_read_tables, &table_spec},
	{"first", JSON_AS_STRING, false, AT(first), NULL, NULL},
	{"unsupported", JSON_AS_STRING, false, AT(unsupported), NULL, NULL},
	{0}};

const struct json_spec implementation_spec = {"implementation", implementation_fields};

/* Checks a row of one that cannot be called: it states which one that is, and why. */
static enum asc_status unsupported_check(const struct implementation *i, struct asc_err *e)
{
	static const struct key_rule rule = {{NULL}, {"name", "index", "devices"}};
	const struct json_node *n = json_find(i->node, "unsupported");
	const size_t len = strlen(i->unsupported);
	size_t columns = 0;

	if (json_ends(i->node,
		      workload_check_keys(i->node, "unsupported", "unsupported", &rule, e)))
		return e->status;
	/* Printed in a line among others. */
	for (size_t at = 0, k; at < len; at += k, columns++) {
		k = utf8_len(i->unsupported + at, len - at);
		if (k == 0 || !utf8_is_text(i->unsupported + at, k))
			return json_fail(n, e, "has a character that is not shown");
	}
	if (len > 0 && strspn(i->unsupported, " ") == len)
		return json_fail(n, e, "has blanks alone, expected a reason");
	return columns > 0 && columns <= MAX_REASON
		       ? ASC_OK
		       : json_fail(n, e, "has %zu characters, expected a reason of 1 to %d",
				   columns, MAX_REASON);
}

enum asc_status implementation_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct implementation *i = member;
	i->node = n;
	/* 0 is an index of a library. */
	i->index = -1;
	if (json_ends(n, json_read_object(n, &implementation_spec, i, e)) ||
	    json_ends(n, workload_check_name(json_find(n, "name"), i->name, e)) ||
	    workload_default_name(n, &i->name, e))
		return e->status;
	if (i->index < -1 &&
	    json_ends(n, json_fail(json_find(n, "index"), e, "is %lld, expected at least 0",
				   (long long)i->index)))
		return e->status;
	if (json_find(n, "unsupported"))
		return i->unsupported ? unsupported_check(i, e) : ASC_OK;
	return json_type(n) == JSON_OBJECT ? implementation_take_calls(i, e) : ASC_OK;
}

/* Refuses a parameter with the name of a dimension: the name would mean one in the kernel and the
 * other in a formula. */
static enum asc_status parameter_clash(const struct workload *w, const struct parameter *p,
				       struct asc_err *e)
{
	for (size_t i = 0; i < w->n_problems; i++) {
		const struct problem *q = &w->problems[i];
		if (problem_find_dimension(q, p->name))
			return json_fail(p->node, e, "\"%s\" is already a dimension of problem %s",
					 p->name, q->name);
		if (problem_find_variable(q, p->name))
			return json_fail(p->node, e,
					 "\"%s\" is already a dtype variable of problem %s",
					 p->name, q->name);
	}
	for (size_t i = 0; i < w->n_tensors; i++)
		if (strcmp(w->tensors[i].name, p->name) == 0)
			return json_fail(p->node, e, "\"%s\" is already a tensor", p->name);
	return ASC_OK;
}

/* Refuses a constant with the name of a parameter. */
static enum asc_status constants_clash(const struct implementation *i, const struct callable *call,
				       struct asc_err *e)
{
	for (size_t j = 0; j < call->n_constants; j++) {
		const struct constant *c = &call->constants[j];
		if (implementation_find_parameter(i, c->name) &&
		    json_ends(i->node,
			      json_fail(c->node, e, "\"%s\" is already a parameter", c->name)))
			return e->status;
	}
	return ASC_OK;
}

/* ---- constants in formulas ---- */

/* True where the name already means something in a formula. */
static bool is_taken(const struct workload *w, const char *name)
{
	for (size_t i = 0; i < w->n_tensors; i++)
		if (strcmp(w->tensors[i].name, name) == 0)
			return true;
	return workload_find_meaning(w, name);
}

/* Writes the constant out where the formula names it; *used is true where it does. A formula that
 * is none is left for the check that says why. */
static enum asc_status constant_write(const struct constant *c, struct formula *f, bool *used,
				      struct asc_err *e)
{
	char *with = c->kind == CONSTANT_TRUTH ? str_dup(c->truth ? "True" : "False")
					       : str_print("(%s)", c->formula.text);
	char *text = NULL;

	*used = false;
	if (!with)
		return asc_err_nomem(e);
	enum asc_status s = expr_replace(f->text, c->name, with, &text, e);
	free(with);
	if (s == ASC_OK && strcmp(text, f->text) != 0) {
		const size_t bytes = strlen(text) + 1;
		char *kept = json_alloc(f->node, bytes);
		if (kept)
			f->text = memcpy(kept, text, bytes);
		s = kept ? ASC_OK : asc_err_nomem(e);
		*used = true;
	}
	free(text);
	return s == ASC_INPUT ? ASC_OK : s;
}

static bool constants_equal(const struct constant *a, const struct constant *b)
{
	return a->kind == b->kind && a->truth == b->truth &&
	       (!a->formula.text || strcmp(a->formula.text, b->formula.text) == 0);
}

/* Writes out the constants of calls [first, end) in one formula. ASC_INPUT where two of these calls
 * have different ones of a name that the formula uses. */
static enum asc_status formula_expand(const struct workload *w, const struct implementation *i,
				      size_t first, size_t end, struct formula *f,
				      struct asc_err *e)
{
	for (size_t k = first; f->text && k < end; k++)
		for (size_t j = 0; j < i->calls[k].n_constants; j++) {
			const struct constant *c = &i->calls[k].constants[j];
			bool used;
			/* Only numbers, truth values and tables can stand in a formula; a
			 * dimension, dtype variable or tensor of that name comes first. */
			if ((c->kind != CONSTANT_TRUTH && !c->formula.text) || is_taken(w, c->name))
				continue;
			if (constant_write(c, f, &used, e))
				return e->status;
			for (size_t m = first; used && m < end; m++)
				for (size_t n = 0; n < i->calls[m].n_constants; n++)
					if (strcmp(i->calls[m].constants[n].name, c->name) == 0 &&
					    !constants_equal(&i->calls[m].constants[n], c))
						return json_fail(
							f->node, e,
							"\"%s\" is a constant of two calls, "
							"with different values",
							c->name);
		}
	return ASC_OK;
}

/* Writes constants out in the formulas that may name them: in a launch those of its call, in
 * constraints and memory those of all calls. What reads the formulas need not know of constants. */
static enum asc_status constants_expand(const struct workload *w, struct implementation *i,
					struct asc_err *e)
{
	struct formula *list[12]; /* of one launch */
	enum asc_status s = ASC_OK;

	for (size_t k = 0; k < i->n_constraints && s == ASC_OK; k++)
		s = formula_expand(w, i, 0, i->n_calls, &i->constraints[k], e);
	for (size_t k = 0; k < i->n_memory && s == ASC_OK; k++) {
		s = formula_expand(w, i, 0, i->n_calls, &i->memory[k].bytes, e);
		for (size_t j = 0; j < i->memory[k].n_tiles && s == ASC_OK; j++)
			s = formula_expand(w, i, 0, i->n_calls, &i->memory[k].tiles[j].bytes, e);
	}
	/* A launch belongs to its call, whose constants alone it may name. */
	for (size_t k = 0; k < i->n_calls && s == ASC_OK; k++) {
		struct launch *l = &i->calls[k].launch;
		size_t n = 0;
		for (size_t axis = 0; axis < 3; axis++) {
			list[n++] = &l->grid[axis];
			list[n++] = &l->block[axis];
			list[n++] = &l->cluster[axis];
		}
		list[n++] = &l->shared;
		list[n++] = &l->threads;
		list[n++] = &l->cooperative;
		for (size_t j = 0; j < n && s == ASC_OK; j++)
			s = formula_expand(w, i, k, k + 1, list[j], e);
	}
	return s;
}

enum asc_status implementation_check(const struct workload *w, struct implementation *i,
				     struct asc_err *e)
{
	const struct json_node *n = i->node;
	if (json_ends(n, implementation_check_calls(w, i, e)))
		return e->status;
	for (size_t k = 0; k < i->n_calls; k++)
		if (json_ends(n, constants_clash(i, &i->calls[k], e)))
			return e->status;
	for (size_t k = 0; k < i->n_parameters; k++)
		if (json_ends(n, parameter_clash(w, &i->parameters[k], e)))
			return e->status;
	if (json_ends(n, tables_check(w, i, e)))
		return e->status;
	/* After the clashes, so that a constant's name has one meaning; before rewrites, which read
	 * the launch. */
	if (json_ends(n, constants_expand(w, i, e)))
		return e->status;
	return rewrites_check(i, e);
}
