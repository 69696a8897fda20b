#include "tuner/workload/space/space_new.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"

/* ---- parameters ---- */

static int compare_values(const void *a, const void *b)
{
	return value_order(*(const struct value *)a, *(const struct value *)b);
}

static enum asc_status check_values(const struct space_param *p, struct asc_err *e)
{
	char text[64];
	uint16_t pick;

	if (p->n == 0 || p->n > UINT16_MAX)
		return asc_err_set(e, ASC_INPUT, "%s: expected 1 to 65535 values, found %zu",
				   p->name, p->n);
	struct value *sorted = malloc(p->n * sizeof *sorted);
	if (!sorted)
		return asc_err_nomem(e);
	memcpy(sorted, p->values, p->n * sizeof *sorted);
	/* Equal values are neighbours once sorted: comparing all pairs of 65535 takes seconds. */
	qsort(sorted, p->n, sizeof *sorted, compare_values);
	size_t twice = 1;
	while (twice < p->n && !value_equal(sorted[twice - 1], sorted[twice]))
		twice++;
	if (twice < p->n)
		value_print(sorted[twice], text, sizeof text);
	free(sorted);
	if (twice < p->n)
		return asc_err_set(e, ASC_INPUT, "%s: the value %s is listed twice", p->name, text);
	value_print(p->default_value, text, sizeof text);
	return space_pick(p, p->default_value, &pick)
		       ? ASC_OK
		       : asc_err_set(e, ASC_INPUT, "%s: the default %s is none of its values",
				     p->name, text);
}

static enum asc_status copy_param(struct space *s, const struct space_param *from,
				  struct asc_err *e)
{
	const enum asc_status st = check_values(from, e);
	struct space_memory *m = &s->memory[s->n];

	if (st)
		return st;
	m->name = str_dup(from->name);
	m->values = malloc((from->n + 1) * sizeof *m->values);
	/* Counted before memory is checked, so that space_free() frees what there is. */
	s->params[s->n] = (struct space_param){m->name, from->n, m->values, from->default_value};
	s->names[s->n++] = m->name;
	if (!m->name || !m->values)
		return asc_err_nomem(e);
	memcpy(m->values, from->values, from->n * sizeof *m->values);
	return ASC_OK;
}

static size_t find_param(const struct space *s, const char *name)
{
	size_t i = 0;

	while (i < s->n && strcmp(s->names[i], name) != 0)
		i++;
	return i;
}

static enum asc_status copy_params(struct space *s, const struct space_spec *spec,
				   struct asc_err *e)
{
	/* 64: a set of parameters is one word of bits wherever the diagram is made. */
	if (spec->n_params > CONFIG_MAX_PARAMETERS)
		return asc_err_set(e, ASC_LIMIT, "expected at most %d parameters, found %zu",
				   CONFIG_MAX_PARAMETERS, spec->n_params);
	s->params = calloc(spec->n_params + 1, sizeof *s->params);
	s->memory = calloc(spec->n_params + 1, sizeof *s->memory);
	s->names = calloc(spec->n_params + 1, sizeof *s->names);
	if (!s->params || !s->memory || !s->names)
		return asc_err_nomem(e);
	for (size_t i = 0; i < spec->n_params; i++) {
		const char *name = spec->params[i].name;
		if (find_param(s, name) < s->n)
			return asc_err_set(e, ASC_INPUT, "two parameters are called \"%s\"", name);
		const enum asc_status st = copy_param(s, &spec->params[i], e);
		if (st)
			return st;
	}
	return ASC_OK;
}

/* ---- conditions ---- */

struct naming { /* scope of a condition: parameters first, then the caller's names */
	const struct space *space;
	const struct expr_scope *outer;
	const char **all; /* every name, for "did you mean" */
};

static bool resolve(const void *user, const char *call, const char *name, struct expr_binding *out)
{
	const struct naming *n = user;
	const size_t i = call ? n->space->n : find_param(n->space, name);

	/* A parameter hides a name of the caller's: the condition is about the space first. */
	if (i < n->space->n) {
		*out = (struct expr_binding){.kind = EXPR_SLOT, .slot = i};
		return true;
	}
	return n->outer->resolve && n->outer->resolve(n->outer->user, call, name, out);
}

static const char *const *all_names(const void *user)
{
	return ((const struct naming *)user)->all;
}

static enum asc_status collect_names(struct naming *n, struct asc_err *e)
{
	const char *const *outer = n->outer->names ? n->outer->names(n->outer->user) : NULL;
	size_t n_outer = 0;

	while (outer && outer[n_outer])
		n_outer++;
	n->all = calloc(n->space->n + n_outer + 1, sizeof *n->all);
	if (!n->all)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n->space->n; i++)
		n->all[i] = n->space->names[i];
	for (size_t i = 0; i < n_outer; i++)
		n->all[n->space->n + i] = outer[i];
	return ASC_OK;
}

/* Adds the expression `x`; takes it in any case. */
static enum asc_status add_rule(struct space *s, struct expr *x, const char *origin,
				struct asc_err *e)
{
	struct space_rule *grown = realloc(s->rules, (s->n_rules + 1) * sizeof *grown);

	if (!grown) {
		expr_free(x);
		return asc_err_nomem(e);
	}
	s->rules = grown;
	s->rules[s->n_rules] = (struct space_rule){x, str_dup(origin)};
	return s->rules[s->n_rules++].origin ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status add_condition(struct space *s, const struct space_condition *c,
				     const struct expr_scope *scope, struct asc_err *e)
{
	struct expr **parts = NULL;
	size_t n = 0;
	enum asc_status st = expr_compile_conjuncts(c->text, scope, &parts, &n, e);

	if (st)
		return asc_err_wrap(e, "%s", c->origin);
	/* Each operand of `and` is a rule of its own: it can end a branch as soon as its own
	 * parameters are fixed. After a failure the operands that are left have no owner. */
	for (size_t i = 0; i < n; i++) {
		if (st)
			expr_free(parts[i]);
		else
			st = add_rule(s, parts[i], c->origin, e);
	}
	free(parts);
	return st;
}

static enum asc_status add_conditions(struct space *s, const struct space_spec *spec,
				      struct asc_err *e)
{
	struct naming naming = {s, &spec->outer, NULL};
	const struct expr_scope scope = {resolve, all_names, &naming};
	enum asc_status st = collect_names(&naming, e);

	for (size_t i = 0; !st && i < spec->n_conditions; i++)
		st = add_condition(s, &spec->conditions[i], &scope, e);
	free(naming.all);
	return st;
}

/* ---- the whole ---- */

enum asc_status space_start(const struct space_spec *spec, struct space **out, struct asc_err *e)
{
	struct space *s = calloc(1, sizeof *s);

	*out = NULL;
	if (!s)
		return asc_err_nomem(e);
	/* Parameters first: conditions are compiled over their names. */
	enum asc_status st = copy_params(s, spec, e);
	if (!st)
		st = add_conditions(s, spec, e);
	if (st)
		space_free(s);
	else
		*out = s;
	return st;
}

enum asc_status space_finish(struct space *s, struct space **out, struct asc_err *e)
{
	const enum asc_status st = space_find_default(s, &s->default_index, e);

	if (st)
		space_free(s);
	else
		*out = s;
	return st;
}

enum asc_status space_new(const struct space_spec *spec, struct space **out, struct asc_err *e)
{
	struct space *s;
	uint64_t tries = SPACE_BUILD_TRIES;
	enum asc_status st = space_start(spec, &s, e);

	if (!st)
		st = space_build(s, NULL, &tries, &s->diagram, s->order, e);
	if (st) {
		space_free(s);
		return st;
	}
	return space_finish(s, out, e);
}
