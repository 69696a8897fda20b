#include "tuner/workload/binding/binding_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding_space.h"
#include "tuner/workload/binding/verdict_view.h"
#include "tuner/workload/limits/limits.h"

/* ---- what limits leave out ---- */

void limit_effects_free(struct limit_effect *effects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(effects[i].reason);
	free(effects);
}

/* Counts the configurations that meet the first `n` conditions and `extra`, which may be NULL. */
static enum asc_status count_under(const struct binding *b, const struct implementation *i,
				   struct condition_list *c, const struct space_condition *extra,
				   uint64_t *count, struct asc_err *e)
{
	struct space *s = NULL;
	const size_t n = c->n;

	if (extra)
		condition_list_add(c, str_dup(extra->text), str_dup(extra->origin));
	enum asc_status status = condition_list_check(c, e);
	if (status == ASC_OK)
		status = binding_space_under(b, i, c, &s, e);
	if (status == ASC_OK)
		*count = space_count(s);
	space_free(s);
	/* The list is the caller's, and the next limit is counted without this one. */
	condition_list_cut(c, n);
	return status;
}

struct effects {
	const struct binding *binding;
	const struct implementation *implementation;
	struct limit_effect *items;
	size_t n;
};

/* Adds for each of `limits` how many configurations it removes from the space under `base`; nothing
 * where that space is too large to count. */
static enum asc_status effects_add(struct effects *f, struct condition_list *base,
				   const struct condition_list *limits, bool warns,
				   struct asc_err *e)
{
	const struct binding *b = f->binding;
	const struct implementation *i = f->implementation;
	/* Each limit is counted alone: two limits that leave out the same configurations both count
	 * them. */
	uint64_t all = 0, left = 0;
	enum asc_status status = limits->n ? count_under(b, i, base, NULL, &all, e) : ASC_OK;

	for (size_t k = 0; k < limits->n && status == ASC_OK; k++) {
		status = count_under(b, i, base, &limits->items[k], &left, e);
		if (status != ASC_OK || left == all)
			continue;
		f->items[f->n] =
			(struct limit_effect){str_dup(limits->items[k].origin), all - left, warns};
		if (!f->items[f->n++].reason)
			status = asc_err_nomem(e);
	}
	/* A space that is too large to count is no fault of the limits. */
	return status == ASC_LIMIT ? ASC_OK : status;
}

enum asc_status binding_limit_effects(const struct binding *b, const struct implementation *i,
				      struct limit_effect **out, size_t *n, struct asc_err *e)
{
	struct verdict_views verdicts;
	struct condition_list base = {.verdicts = &verdicts}, limits = base, wishes = base;
	struct effects f = {b, i, NULL, 0};
	enum asc_status status = verdict_views_init(&verdicts, b, i, e);

	if (status == ASC_OK)
		status = binding_own_conditions(b, i, &base, e);
	if (status == ASC_OK)
		status = limit_conditions_add(b, i, &limits, e);
	if (status == ASC_OK)
		status = limit_wishes_add(b, i, &wishes, e);
	if (status == ASC_OK)
		f.items = calloc(limits.n + wishes.n + 1, sizeof *f.items);
	if (status == ASC_OK && !f.items)
		status = asc_err_nomem(e);
	if (status == ASC_OK)
		status = effects_add(&f, &base, &limits, false, e);
	/* Wishes concern what runs, so they are counted under the limits as well. */
	if (status == ASC_OK)
		status = limit_conditions_add(b, i, &base, e);
	if (status == ASC_OK)
		status = effects_add(&f, &base, &wishes, true, e);
	condition_list_fini(&base);
	condition_list_fini(&limits);
	condition_list_fini(&wishes);
	verdict_views_fini(&verdicts);
	if (status != ASC_OK) {
		limit_effects_free(f.items, f.n);
		return status;
	}
	*out = f.items;
	*n = f.n;
	return ASC_OK;
}

/* ---- what no configuration can help ---- */

/* Finds a tensor that a Triton kernel, or the twin of one, takes and whose type is refused; -1:
 * none is. */
static int find_refused(const struct binding *b, const struct callable *c)
{
	/* A twin is refused where its Triton kernel would be. */
	const char *language = c->stood_for.source ? c->stood_for.builder : c->builder;
	const bool triton = strcmp(language, "triton") == 0;

	for (size_t k = 0; k < c->n_arguments && triton; k++) {
		const struct argument *a = &c->arguments[k];

		if (a->kind == ARG_TENSOR && a->tensor < b->workload->n_tensors &&
		    b->tensors[a->tensor].present &&
		    (b->limits->refused_types >> b->tensors[a->tensor].dtype & 1))
			return (int)a->tensor;
	}
	return -1;
}

enum asc_status binding_refused(const struct binding *b, const struct implementation *i,
				bool *refused, char *reason, size_t size, struct asc_err *e)
{
	int found = -1;

	for (size_t k = 0; k < i->n_calls && b->limits && found < 0; k++)
		found = find_refused(b, &i->calls[k]);
	*refused = found >= 0;
	if (*refused)
		snprintf(reason, size, "Triton refuses %s, the type of %s, for %s",
			 dtype_name(b->tensors[found].dtype), b->workload->tensors[found].name,
			 b->limits->name);
	/* One reason is enough, and sizes of buffers are not evaluated for nothing. */
	if (*refused || !b->limits)
		return ASC_OK;
	return memory_plan_refused(b, i, refused, reason, size, e);
}
