#include "tuner/model/space_list.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/model/space_plan.h"

/* A configuration is held as its rank among all combinations, in which the first parameter counts
 * most: sorted ranks are the order of the space. */
struct space_list {
	const struct space *space;
	uint64_t weight[CONFIG_MAX_PARAMETERS]; /* what one pick further adds to the rank */
	uint64_t *ranks;
	uint64_t count, capacity;
};

/* About a minute of work: more means that the conditions prune too late to list the space. */
static const uint64_t max_tries = UINT64_C(1000000000);

static enum asc_status set_weights(struct space_list *l, struct asc_err *e)
{
	const struct space *s = l->space;
	uint64_t weight = 1;

	for (size_t i = s->n; i-- > 0;) {
		l->weight[i] = weight;
		if (__builtin_mul_overflow(weight, (uint64_t)s->params[i].n, &weight))
			return asc_err_set(
				e, ASC_LIMIT,
				"the parameters have %.3g combinations, at most 2^64 - 1 "
				"can be numbered",
				space_cartesian(s));
	}
	return ASC_OK;
}

static enum asc_status add_rank(struct space_list *l, uint64_t rank, struct asc_err *e)
{
	if (l->count == SPACE_LIST_MAX)
		return asc_err_set(
			e, ASC_LIMIT,
			"more than %d valid configurations, which is as many as can be held",
			SPACE_LIST_MAX);
	if (l->count == l->capacity) {
		const uint64_t capacity = l->capacity ? 2 * l->capacity : 256;
		uint64_t *grown = realloc(l->ranks, capacity * sizeof *grown);
		if (!grown)
			return asc_err_nomem(e);
		l->ranks = grown;
		l->capacity = capacity;
	}
	l->ranks[l->count++] = rank;
	return ASC_OK;
}

/* ---- the depth-first walk ---- */

struct walk {
	const struct space_plan *plan;
	struct space_list *list;
	struct value slots[CONFIG_MAX_PARAMETERS];
	uint64_t tries;
};

static bool due_rules_hold(const struct walk *w, const struct space_step *step)
{
	for (size_t i = step->first_due; i < step->end_due; i++) {
		if (!space_rule_holds(w->plan->due[i], w->slots))
			return false;
	}
	return true;
}

static enum asc_status walk_from(struct walk *w, size_t depth, uint64_t rank, struct asc_err *e)
{
	if (depth == w->plan->n)
		return add_rank(w->list, rank, e);
	const struct space_step *step = &w->plan->steps[depth];
	const uint64_t weight = w->list->weight[step->param];
	const struct value *values = w->list->space->params[step->param].values;
	if ((w->tries += step->n_picks) > max_tries)
		return asc_err_set(
			e, ASC_LIMIT, "no end after %llu tries, %llu valid configurations found",
			(unsigned long long)max_tries, (unsigned long long)w->list->count);
	for (size_t i = 0; i < step->n_picks; i++) {
		const uint16_t pick = step->picks[i];
		w->slots[step->param] = values[pick];
		if (!due_rules_hold(w, step))
			continue;
		const enum asc_status st = walk_from(w, depth + 1, rank + pick * weight, e);
		if (st)
			return st;
	}
	return ASC_OK;
}

static int compare_ranks(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static enum asc_status fill(struct space_list *l, struct asc_err *e)
{
	struct space_plan plan;
	struct walk w = {.plan = &plan, .list = l};
	enum asc_status st = space_plan_init(&plan, l->space, e);

	if (!st && !plan.empty)
		st = walk_from(&w, 0, 0, e);
	space_plan_fini(&plan);
	if (!st && l->count > 0)
		qsort(l->ranks, l->count, sizeof *l->ranks, compare_ranks);
	return st;
}

enum asc_status space_list_new(const struct space *s, struct space_list **out, struct asc_err *e)
{
	struct space_list *l = calloc(1, sizeof *l);

	if (!l)
		return asc_err_nomem(e);
	l->space = s;
	enum asc_status st = set_weights(l, e);
	if (!st)
		st = fill(l, e);
	if (st) {
		space_list_free(l);
		return st;
	}
	uint64_t *exact = l->count > 0 ? realloc(l->ranks, l->count * sizeof *exact) : NULL;
	if (exact)
		l->ranks = exact;
	*out = l;
	return ASC_OK;
}

void space_list_free(struct space_list *l)
{
	if (!l)
		return;
	free(l->ranks);
	free(l);
}

uint64_t space_list_count(const struct space_list *l)
{
	return l->count;
}

void space_list_get(const struct space_list *l, uint64_t index, uint16_t *picks)
{
	uint64_t rank = l->ranks[index];

	for (size_t i = 0; i < l->space->n; i++) {
		picks[i] = (uint16_t)(rank / l->weight[i]);
		rank %= l->weight[i];
	}
}

bool space_list_find(const struct space_list *l, const uint16_t *picks, uint64_t *index)
{
	uint64_t rank = 0;

	for (size_t i = 0; i < l->space->n; i++)
		rank += picks[i] * l->weight[i];
	if (l->count == 0)
		return false;
	const uint64_t *at = bsearch(&rank, l->ranks, l->count, sizeof rank, compare_ranks);
	if (at)
		*index = (uint64_t)(at - l->ranks);
	return at != NULL;
}
