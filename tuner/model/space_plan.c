#include "tuner/model/space_plan.h"

#include <math.h>
#include <stdlib.h>

/* Rules on one parameter shorten its list, rules on none decide at once. */
static bool pick_holds(const struct space *s, size_t param, struct value *slots)
{
	for (size_t r = 0; r < s->n_rules; r++) {
		const struct expr *x = s->rules[r].expr;
		const size_t *used;
		if (expr_is_unknown(x) || expr_slots(x, &used) != 1 || used[0] != param)
			continue;
		if (!space_rule_holds(x, slots))
			return false;
	}
	return true;
}

static enum asc_status filter_picks(const struct space *s, struct space_step *step,
				    struct asc_err *e)
{
	const struct space_param *p = &s->params[step->param];
	struct value slots[CONFIG_MAX_PARAMETERS];

	step->picks = malloc(p->n * sizeof *step->picks);
	if (!step->picks)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->n; i++) {
		slots[step->param] = p->values[i];
		if (pick_holds(s, step->param, slots))
			step->picks[step->n_picks++] = (uint16_t)i;
	}
	return ASC_OK;
}

static bool constant_rule_fails(const struct space *s)
{
	const struct value none = value_int(0);
	const size_t *used;

	for (size_t r = 0; r < s->n_rules; r++) {
		const struct expr *x = s->rules[r].expr;
		if (!expr_is_unknown(x) && expr_slots(x, &used) == 0 && !space_rule_holds(x, &none))
			return true;
	}
	return false;
}

/* ---- the order: steps [0, fixed) are final, the others are still in file order ---- */

static size_t step_of(const struct space_plan *p, size_t param)
{
	size_t i = 0;

	while (p->steps[i].param != param)
		i++;
	return i;
}

/* Combinations of the parameters that the rule still needs; 0 when it needs none. *next is the step
 * of the one with the fewest values. */
static double cost_to_complete(const struct space_plan *p, size_t fixed, const struct expr *x,
			       size_t *next)
{
	const size_t *used, n = expr_slots(x, &used);
	double cost = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t at = step_of(p, used[i]);
		if (at < fixed)
			continue;
		if (cost == 0 || p->steps[at].n_picks < p->steps[*next].n_picks)
			*next = at;
		cost = (cost == 0 ? 1 : cost) * (double)p->steps[at].n_picks;
	}
	return cost;
}

static size_t choose_next(const struct space_plan *p, const struct space *s, size_t fixed)
{
	size_t best = fixed, next = fixed;
	double best_cost = INFINITY;

	for (size_t r = 0; r < s->n_rules; r++) {
		if (expr_is_unknown(s->rules[r].expr))
			continue;
		const double cost = cost_to_complete(p, fixed, s->rules[r].expr, &next);
		if (cost > 0 && cost < best_cost) {
			best_cost = cost;
			best = next;
		}
	}
	return best;
}

static void order_steps(struct space_plan *p, const struct space *s)
{
	for (size_t fixed = 0; fixed < p->n; fixed++) {
		const size_t next = choose_next(p, s, fixed);
		const struct space_step chosen = p->steps[next];
		for (size_t i = next; i > fixed; i--) /* keeps the others in file order */
			p->steps[i] = p->steps[i - 1];
		p->steps[fixed] = chosen;
	}
}

static size_t depth_of(const struct space_plan *p, const struct expr *x)
{
	const size_t *used, n = expr_slots(x, &used);
	size_t depth = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t at = step_of(p, used[i]);
		depth = at > depth ? at : depth;
	}
	return depth;
}

static enum asc_status collect_due(struct space_plan *p, const struct space *s, struct asc_err *e)
{
	const size_t *used;
	size_t n = 0;

	p->due = malloc((s->n_rules + 1) * sizeof(struct expr *));
	if (!p->due)
		return asc_err_nomem(e);
	for (size_t d = 0; d < p->n; d++) {
		p->steps[d].first_due = n;
		for (size_t r = 0; r < s->n_rules; r++) {
			const struct expr *x = s->rules[r].expr;
			if (!expr_is_unknown(x) && expr_slots(x, &used) > 1 && depth_of(p, x) == d)
				p->due[n++] = x;
		}
		p->steps[d].end_due = n;
	}
	return ASC_OK;
}

enum asc_status space_plan_init(struct space_plan *p, const struct space *s, struct asc_err *e)
{
	*p = (struct space_plan){.n = s->n, .empty = constant_rule_fails(s)};
	for (size_t i = 0; i < s->n; i++) {
		p->steps[i].param = i;
		const enum asc_status st = filter_picks(s, &p->steps[i], e);
		if (st)
			return st;
		p->empty = p->empty || p->steps[i].n_picks == 0;
	}
	if (p->empty)
		return ASC_OK;
	order_steps(p, s);
	return collect_due(p, s, e);
}

void space_plan_fini(struct space_plan *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->steps[i].picks);
	free(p->due);
}
