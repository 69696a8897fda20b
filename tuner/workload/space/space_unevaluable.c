#include "tuner/workload/space/space.h"

#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/workload/expr/expr_graph.h"
#include "tuner/workload/space/space_core.h"

/* Combinations beyond which there is no warning, which must not cost as much as a search. */
enum { MAX_TRIES = 200000 };

static bool covers(const struct expr *x, const struct expr *part)
{
	const size_t *all, *some;
	size_t n_all = expr_slots(x, &all), n_some = expr_slots(part, &some), found = 0;

	for (size_t i = 0; i < n_some; i++)
		for (size_t k = 0; k < n_all; k++)
			found += some[i] == all[k];
	return found == n_some;
}

/* True when another rule over the same parameters leaves this combination out anyway. */
static bool refused_elsewhere(const struct space *s, const struct expr *x,
			      const struct value *slots)
{
	struct value v;

	for (size_t r = 0; r < s->n_rules; r++) {
		const struct expr *other = s->rules[r].expr;

		if (other != x && !expr_is_unknown(other) && covers(x, other) &&
		    expr_eval(other, slots, &v) == EXPR_E_OK && !value_truth(v))
			return true;
	}
	return false;
}

struct failures {
	size_t failed, tried;
	struct buf why; /* of the first */
};

static struct failures count_failures(const struct space *s, const struct expr *x)
{
	struct failures all = {0};
	struct odometer o;
	struct value v;

	odometer_init(&o, s, x);
	do {
		enum expr_error failure = expr_eval(x, o.slots, &v);

		all.tried++;
		if (!failure || refused_elsewhere(s, x, o.slots))
			continue;
		all.failed++;
		if (all.failed == 1)
			expr_print_error(x, failure, o.slots, &all.why);
	} while (all.tried < MAX_TRIES && odometer_next(&o));
	return all;
}

/* True when no values within the ranges of the parameters make the rule fail. */
static bool is_safe(const struct space *s, const struct expr_graph *g, uint32_t root,
		    struct range *ranges)
{
	for (uint32_t i = 0; i <= root; i++) {
		const struct expr_graph_node *n = &g->nodes[i];
		const struct space_param *p = &s->params[n->slot];

		/* The range of all its values, valid or not: a warning is about the rule, not about
		 * the space. */
		if (n->kind == EXPR_GRAPH_SLOT)
			ranges[i] = range_of(p->values[0]);
		for (size_t k = 1; n->kind == EXPR_GRAPH_SLOT && k < p->n; k++) {
			const struct range one = range_of(p->values[k]);
			ranges[i] = range_join(&ranges[i], &one);
		}
		if (n->kind != EXPR_GRAPH_SLOT)
			expr_graph_apply(g, &i, 1, ranges);
	}
	return ranges[root].kind < RANGE_ANY;
}

static enum asc_status find_safe(const struct space *s, const struct expr *x, bool *safe,
				 struct asc_err *e)
{
	struct expr_graph g = {0};
	struct range *ranges = NULL;
	uint32_t root;
	enum asc_status st = expr_graph_add(&g, x, NULL, &root, e);

	if (!st)
		ranges = malloc(g.n * sizeof *ranges);
	if (!st && !ranges)
		st = asc_err_nomem(e);
	if (ranges)
		*safe = is_safe(s, &g, root, ranges);
	free(ranges);
	expr_graph_fini(&g);
	return st;
}

enum asc_status space_print_unevaluable(const struct space *s, struct buf *out, struct asc_err *e)
{
	for (size_t r = 0; r < s->n_rules; r++) {
		const struct space_rule *rule = &s->rules[r];
		bool safe = false;

		if (expr_is_unknown(rule->expr))
			continue;
		/* Ranges show in one pass that most rules cannot fail; only the others are tried
		 * out. */
		if (find_safe(s, rule->expr, &safe, e))
			return e->status;
		if (safe)
			continue;
		struct failures f = count_failures(s, rule->expr);
		if (f.failed)
			buf_print(out,
				  "%s%s: \"%s\" cannot be evaluated on %zu of %zu combinations of "
				  "its parameters (%s); they are left out",
				  out->len ? "; " : "", rule->origin, expr_text(rule->expr),
				  f.failed, f.tried, buf_str(&f.why));
		buf_fini(&f.why);
	}
	return buf_check(out, e);
}
