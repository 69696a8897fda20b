#include "tuner/base/stats/rng.h"
#include "tuner/workload/space/space_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The order in which a diagram fixes the parameters. The number of nodes at a depth is the number
 * of different states there, and a state is what has to be remembered of the parameters fixed so
 * far: the values of complete parts that incomplete ones use. So:
 *
 * 1. Estimate for each part of a rule how many values it has, and for each rule on which fraction
 *    of all combinations it holds (estimate_init).
 * 2. Split the parameters into groups that no rule connects (members_of). Groups follow one
 *    another: between two of them nothing is remembered, so their sizes add up and do not multiply.
 * 3. Within a group, begin with the order in which the rules' texts name the parameters
 *    (group_init), and move one parameter at a time to where the estimated number of edges falls
 *    most (improve), until no move helps or the trials are used up.
 *
 * An order changes how large a diagram is, never which configurations are in it. The estimate needs
 * no more than the right ranking of orders. */

/* ---- estimates ---- */

/* Rough numbers of different values of a space's rules before any parameter is fixed: the order is
 * chosen by them. */
struct space_estimate {
	double *bits; /* log2 of the number of values of each node */
	bool *used;   /* whether a root uses each node */
	double *kept; /* log2 of the fraction of all combinations on which each root holds */
	double choices[CONFIG_MAX_PARAMETERS]; /* log2 of the number of values of each parameter */
};

enum { SAMPLES = 256 };

static void estimate_fini(struct space_estimate *x)
{
	free(x->bits);
	free(x->used);
	free(x->kept);
}

static void note_used(struct space_estimate *x, const struct space_graph *g)
{
	uint32_t from[3];

	for (size_t r = 0; r < g->n_roots; r++)
		x->used[g->roots[r].node] = true;
	/* From the last node on: a node comes after its operands, so its own mark is complete. */
	for (size_t i = g->ops.n; i-- > 0;) {
		for (size_t k = expr_graph_operands(&g->ops.nodes[i], from); k-- > 0;)
			x->used[from[k]] = x->used[from[k]] || x->used[i];
	}
}

/* Number of values of a node: the combinations of its parameters, or of its operands' values, or
 * the integers in its range, whichever is least. */
static double node_bits(const struct space_estimate *x, const struct space_graph *g, uint32_t i)
{
	double combinations = 0, operands = 0;
	uint32_t from[3];
	const size_t n = expr_graph_operands(&g->ops.nodes[i], from);

	for (uint64_t needs = g->needs[i]; needs; needs &= needs - 1)
		combinations += x->choices[__builtin_ctzll(needs)];
	for (size_t k = 0; k < n; k++)
		operands += x->bits[from[k]];
	/* Each is an upper bound, so the least of them is the best one. */
	if (n > 0)
		combinations = fmin(combinations, operands);
	const struct expr_graph_node *node = &g->ops.nodes[i];
	const struct range *r = &g->open[i];
	/* A state is one number whatever is open: its range says nothing. */
	if (node->kind == EXPR_GRAPH_STEP && !expr_graph_is_look_up(&g->ops, node))
		return fmin(combinations,
			    log2((double)expr_table_states(g->ops.tables[node->op], node->slot)));
	return r->kind == RANGE_INT
		       ? fmin(combinations, log2((double)r->hi.i - (double)r->lo.i + 1))
		       : combinations;
}

/* Draws combinations at random, always the same ones. */
static void sample_roots(struct space_estimate *x, const struct space_graph *g,
			 struct range *values)
{
	struct rng rng;

	/* Seeded alike each time: the same space has the same order in every process. */
	rng_init(&rng, 1);
	for (int s = 0; s < SAMPLES; s++) {
		for (uint32_t i = 0; i < g->ops.n; i++) {
			const struct expr_graph_node *n = &g->ops.nodes[i];
			const struct space_choice *c = &g->choices[n->slot];
			if (n->kind == EXPR_GRAPH_SLOT)
				values[i] = c->values[rng_below(&rng, c->n)];
			else
				expr_graph_apply(&g->ops, &i, 1, values);
		}
		for (size_t r = 0; r < g->n_roots; r++)
			x->kept[r] += range_truth(&values[g->roots[r].node]) == RANGE_ALWAYS;
	}
	/* One success is added, so that a rule which no sample meets has a logarithm. */
	for (size_t r = 0; r < g->n_roots; r++)
		x->kept[r] = log2((x->kept[r] + 1) / (SAMPLES + 1));
}

static enum asc_status estimate_init(struct space_estimate *x, const struct space_graph *g,
				     struct asc_err *e)
{
	struct range *values = malloc((g->ops.n + 1) * sizeof *values);

	*x = (struct space_estimate){.bits = calloc(g->ops.n + 1, sizeof *x->bits),
				     .used = calloc(g->ops.n + 1, sizeof *x->used),
				     .kept = calloc(g->n_roots + 1, sizeof *x->kept)};
	const bool ok = values && x->bits && x->used && x->kept;
	for (size_t p = 0; p < g->space->n; p++)
		x->choices[p] = log2((double)g->choices[p].n);
	if (ok) {
		note_used(x, g);
		for (uint32_t i = 0; i < g->ops.n; i++)
			x->bits[i] = node_bits(x, g, i);
		sample_roots(x, g, values);
	}
	free(values);
	return ok ? ASC_OK : asc_err_nomem(e);
}

/* ---- the order ---- */

enum { MAX_TRIALS = 20000 }; /* orders tried, per group */

struct ordering {
	const struct space_graph *graph;
	const struct space_estimate *estimate;
	uint8_t *done;  /* number of parameters fixed when the value of each node is known */
	uint8_t *until; /* number of parameters until which it has to be remembered */
	size_t trials;
};

struct group { /* parameters that rules connect, in the order under trial */
	uint64_t members;
	size_t params[CONFIG_MAX_PARAMETERS];
	size_t n;
};

/* ---- how much there is to remember ---- */

static bool is_in(const struct ordering *o, const struct group *t, uint32_t node)
{
	return o->estimate->used[node] && (o->graph->needs[node] & t->members);
}

/* Fills `done` and `until` for the group's nodes. */
static void note_spans(struct ordering *o, const struct group *t)
{
	const struct expr_graph *ops = &o->graph->ops;

	for (size_t d = 0; d < t->n; d++)
		o->done[o->graph->slots[t->params[d]]] = (uint8_t)(d + 1);
	for (size_t i = 0; i < ops->n; i++) {
		uint32_t from[3];
		if (!is_in(o, t, (uint32_t)i))
			continue;
		/* A node that the group's other nodes do not use is remembered nowhere. */
		o->until[i] = 0;
		const size_t n = expr_graph_operands(&ops->nodes[i], from);
		o->done[i] = n > 0 ? 0 : o->done[i];
		for (size_t k = 0; k < n; k++)
			o->done[i] = o->done[from[k]] > o->done[i] ? o->done[from[k]] : o->done[i];
		for (size_t k = 0; k < n; k++)
			o->until[from[k]] =
				o->done[i] > o->until[from[k]] ? o->done[i] : o->until[from[k]];
	}
}

/* Rough number of edges of the group's diagram. */
static double cost(struct ordering *o, const struct group *t)
{
	double remembered[CONFIG_MAX_PARAMETERS + 1] = {0}, kept[CONFIG_MAX_PARAMETERS + 1] = {0};
	double fixed = 0, sum = 0;
	const struct space_graph *g = o->graph;

	o->trials++;
	note_spans(o, t);
	for (size_t i = 0; i < g->ops.n; i++) {
		if (!is_in(o, t, (uint32_t)i))
			continue;
		/* Remembered from where it is known to where the last node that uses it is. */
		for (size_t d = o->done[i]; d < o->until[i]; d++)
			remembered[d] += o->estimate->bits[i];
	}
	for (size_t r = 0; r < g->n_roots; r++) {
		/* A rule prunes from the depth at which it can be decided. */
		if (is_in(o, t, g->roots[r].node))
			kept[o->done[g->roots[r].node]] += o->estimate->kept[r];
	}
	for (size_t d = 0; d < t->n; d++) {
		/* States at this depth: as many as the remembered values can tell apart, but no
		 * more than there are valid combinations of what is fixed. Each has an edge for
		 * each value. */
		const double choices = o->estimate->choices[t->params[d]];
		fixed += kept[d];
		sum += exp2(fmin(remembered[d], fixed) + choices);
		fixed += choices;
	}
	return sum;
}

/* ---- the search: move one parameter at a time to where it helps most ---- */

static void move(struct group *t, size_t from, size_t to)
{
	const size_t param = t->params[from];

	if (from < to)
		memmove(&t->params[from], &t->params[from + 1], (to - from) * sizeof *t->params);
	else
		memmove(&t->params[to + 1], &t->params[to], (from - to) * sizeof *t->params);
	t->params[to] = param;
}

static bool improve(struct ordering *o, struct group *t, double *least)
{
	const double before = *least;
	struct group best = *t;

	for (size_t from = 0; from < t->n; from++) {
		for (size_t to = 0; to < t->n && o->trials < MAX_TRIALS; to++) {
			struct group other = *t;
			move(&other, from, to);
			/* A configuration that is there already costs what is known: no trial is
			 * spent on it. */
			const double c = from == to ? INFINITY : cost(o, &other);
			/* By more than rounding: sums of the same terms in another order differ in
			 * the last bits, and an order that is as good must not replace the first
			 * one. */
			if (c < *least * (1 - 1e-9)) {
				*least = c;
				best = other;
			}
		}
	}
	*t = best;
	return *least < before;
}

/* ---- groups ---- */

static uint64_t members_of(const struct space_graph *g, size_t param)
{
	uint64_t members = UINT64_C(1) << param, before;

	do {
		before = members;
		for (size_t r = 0; r < g->n_roots; r++) {
			const uint64_t needs = g->needs[g->roots[r].node];
			/* A rule that reads one member makes all that it reads members; again until
			 * none is added. */
			members |= needs & members ? needs : 0;
		}
	} while (members != before);
	return members;
}

/* Starts from the order in which the rules' texts name the parameters, so that the outcome does not
 * depend on the file's. */
static void group_init(struct group *t, const struct space_graph *g, uint64_t members)
{
	*t = (struct group){.members = members};
	for (; members; members &= members - 1) {
		const size_t param = (size_t)__builtin_ctzll(members);
		size_t at = t->n++;
		for (; at > 0 && g->slots[t->params[at - 1]] > g->slots[param]; at--)
			t->params[at] = t->params[at - 1];
		t->params[at] = param;
	}
}

static void order_all(struct ordering *o, size_t *order)
{
	uint64_t ordered = 0;
	size_t n = 0;

	for (size_t p = 0; p < o->graph->space->n; p++) {
		struct group t;
		if (ordered & UINT64_C(1) << p)
			continue;
		group_init(&t, o->graph, members_of(o->graph, p));
		/* Two parameters stay in the order of the rules' text: there is little to gain. */
		if (t.n > 2) {
			o->trials = 0;
			double least = cost(o, &t);
			while (improve(o, &t, &least))
				;
		}
		memcpy(order + n, t.params, t.n * sizeof *order);
		n += t.n;
		ordered |= t.members;
	}
}

enum asc_status space_order(const struct space_graph *g, size_t *order, struct asc_err *e)
{
	struct space_estimate estimate;
	struct ordering o = {.graph = g,
			     .estimate = &estimate,
			     .done = calloc(g->ops.n + 1, 1),
			     .until = calloc(g->ops.n + 1, 1)};
	enum asc_status st = estimate_init(&estimate, g, e);

	if (!o.done || !o.until)
		st = asc_err_nomem(e);
	else if (!st)
		order_all(&o, order);
	estimate_fini(&estimate);
	free(o.done);
	free(o.until);
	return st;
}
