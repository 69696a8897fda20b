#include "tuner/workload/binding/binding_space.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding_scope.h"
#include "tuner/workload/binding/rewrite_state.h"
#include "tuner/workload/binding/verdict_view.h"

/* Adds the condition of a rewrite's pair: equality, or the relaxed one where it is applied. */
static void rewrites_add(const struct binding *b, const struct implementation *i,
			 struct condition_list *out)
{
	for (size_t k = 0; k < i->n_rewrites; k++) {
		const struct rewrite_use *u = &i->rewrites[k];
		struct buf text = {0};
		/* A rewrite of the grid changes the launch, not the space. */
		if (!u->ops->pair)
			continue;
		binding_print_condition(b, i, u, &text);
		condition_list_add(out, buf_take(&text),
				   str_print("rewrites[%zu] %s", k, u->ops->name));
	}
}

/* Adds that the grid of one call has a block. */
static void grid_add(const struct implementation *i, size_t call, struct condition_list *out)
{
	char place[CALL_MEMBER_SIZE];
	call_member_print(i, call, "launch.grid", place);
	for (size_t k = 0; k < 3; k++) {
		/* A formula may give 0 blocks for some parameters: such a launch does nothing, and
		 * fails on a device. */
		const char *text = i->calls[call].launch.grid[k].text;
		if (text)
			condition_list_add(out, str_print("(%s) >= 1", text),
					   str_print("%s[%zu]", place, k));
	}
}

/* Adds that a formula over a table has a value, which it lacks where the table has no row; takes
 * the origin. A name within a longer one adds a condition that always holds. */
static void value_add(const struct implementation *i, const struct formula *f, char *origin,
		      struct condition_list *out)
{
	bool named = false;

	for (size_t k = 0; k < i->n_tables && f->text; k++)
		named |= !i->tables[k].has_otherwise && strstr(f->text, i->tables[k].name);
	/* Nothing is in an empty list, and what has no value is not even not in it. */
	if (named)
		condition_list_add(out, str_print("(%s) not in []", f->text), origin);
	else
		free(origin);
}

/* Adds that what one call is launched with and compiled for has values. */
static void values_add(const struct implementation *i, size_t call, struct condition_list *out)
{
	const struct callable *c = &i->calls[call];
	const struct formula *launch[] = {&c->launch.shared, &c->launch.threads,
					  &c->launch.cooperative};
	char place[CALL_MEMBER_SIZE];

	call_member_print(i, call, "launch", place);
	for (size_t k = 0; k < 3; k++) {
		value_add(i, &c->launch.block[k], str_print("%s.block[%zu]", place, k), out);
		value_add(i, &c->launch.cluster[k], str_print("%s.cluster[%zu]", place, k), out);
		value_add(i, launch[k], str_dup(place), out);
	}
	call_member_print(i, call, "arguments", place);
	for (size_t k = 0; k < c->n_arguments; k++) {
		const struct argument *a = &c->arguments[k];

		value_add(i, &a->scalar, str_print("%s[%zu]", place, k), out);
		value_add(i, &a->bytes, str_print("%s[%zu]", place, k), out);
		for (size_t j = 0; j < a->rank; j++)
			value_add(i, &a->sizes[j],
				  str_print("%s[%zu].%s[%zu]", place, k,
					    a->kind == ARG_TENSOR ? "shape"
					    : a->kind == ARG_LIST ? "list"
								  : "box",
					    j),
				  out);
		for (size_t j = 0; j < a->n_strides; j++)
			value_add(i, &a->strides[j], str_print("%s[%zu].strides[%zu]", place, k, j),
				  out);
		value_add(i, &a->offset, str_print("%s[%zu].offset", place, k), out);
	}
	call_member_print(i, call, "constants", place);
	for (size_t k = 0; k < c->n_constants; k++)
		value_add(i, &c->constants[k].formula,
			  str_print("%s.%s", place, c->constants[k].name), out);
}

enum asc_status binding_own_conditions(const struct binding *b, const struct implementation *i,
				       struct condition_list *out, struct asc_err *e)
{
	for (size_t k = 0; k < i->n_constraints; k++)
		condition_list_add(out, str_dup(i->constraints[k].text),
				   str_print("constraints[%zu]", k));
	for (size_t k = 0; k < i->n_calls; k++) {
		grid_add(i, k, out);
		values_add(i, k, out);
	}
	for (size_t k = 0; k < i->n_scratch; k++)
		for (size_t j = 0; j < i->scratch[k].rank; j++)
			value_add(i, &i->scratch[k].shape[j],
				  str_print("scratch.%s.shape[%zu]", i->scratch[k].name, j), out);
	rewrites_add(b, i, out);
	return condition_list_check(out, e);
}

static enum asc_status visit_under(const struct binding *b, const struct implementation *i,
				   const struct condition_list *conditions, binding_spec_fn *visit,
				   void *user, struct asc_err *e)
{
	struct space_param params[CONFIG_MAX_PARAMETERS];
	struct binding_scope s;
	/* Without the implementation: the space itself resolves its parameters, as slots. */
	enum asc_status status = binding_scope_init(&s, b, NULL, e);
	if (status != ASC_OK)
		return status;
	s.verdicts = conditions->verdicts;
	s.tables_of = i;
	for (size_t k = 0; k < i->n_parameters; k++) {
		/* A parameter that this class of device lacks has one value:
		 * formulas and configurations have the same parameters everywhere. */
		const struct parameter *p = &i->parameters[k];
		params[k] = name_list_has(&p->devices, b->device)
				    ? (struct space_param){p->name, p->n_values, p->values,
							   problem_default(b->problem, p)}
				    : (struct space_param){p->name, 1, &p->otherwise, p->otherwise};
	}
	const struct space_spec spec = {.params = params,
					.n_params = i->n_parameters,
					.conditions = conditions->items,
					.n_conditions = conditions->n,
					.outer = s.expr};
	status = visit(user, &spec, e);
	binding_scope_fini(&s);
	return status;
}

/* Visits the specification of the space, where `more` is not NULL under that condition too. */
static enum asc_status visit_with(const struct binding *b, const struct implementation *i,
				  const char *more, binding_spec_fn *visit, void *user,
				  struct asc_err *e)
{
	struct verdict_views verdicts;
	struct condition_list c = {.verdicts = &verdicts};
	enum asc_status status = verdict_views_init(&verdicts, b, i, e);
	if (status == ASC_OK)
		status = binding_own_conditions(b, i, &c, e);
	if (status == ASC_OK)
		status = limit_conditions_add(b, i, &c, e);
	if (status == ASC_OK && more) {
		condition_list_add(&c, str_dup(more), str_dup("first"));
		status = condition_list_check(&c, e);
	}
	if (status == ASC_OK)
		status = visit_under(b, i, &c, visit, user, e);
	condition_list_fini(&c);
	verdict_views_fini(&verdicts);
	return status;
}

enum asc_status binding_visit_spec(const struct binding *b, const struct implementation *i,
				   binding_spec_fn *visit, void *user, struct asc_err *e)
{
	return visit_with(b, i, NULL, visit, user, e);
}

static enum asc_status make_space(void *user, const struct space_spec *spec, struct asc_err *e)
{
	return space_new(spec, user, e);
}

enum asc_status binding_space_under(const struct binding *b, const struct implementation *i,
				    const struct condition_list *conditions, struct space **out,
				    struct asc_err *e)
{
	return visit_under(b, i, conditions, make_space, out, e);
}

enum asc_status binding_space(const struct binding *b, const struct implementation *i,
			      struct space **out, struct asc_err *e)
{
	return binding_visit_spec(b, i, make_space, out, e);
}

enum asc_status binding_space_first(const struct binding *b, const struct implementation *i,
				    struct space **out, struct asc_err *e)
{
	*out = NULL;
	return i->first ? visit_with(b, i, i->first, make_space, out, e) : ASC_OK;
}

enum asc_status binding_space_unpruned(const struct binding *b, const struct implementation *i,
				       struct space **out, struct asc_err *e)
{
	struct condition_list c = {0};
	enum asc_status status = binding_own_conditions(b, i, &c, e);

	if (status == ASC_OK)
		status = launch_conditions_add(b, i, &c, e);
	if (status == ASC_OK)
		status = binding_space_under(b, i, &c, out, e);
	condition_list_fini(&c);
	return status;
}
