#include "tuner/model/space_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/base/rng.h"

enum { SAMPLES = 256 };

void space_estimate_fini(struct space_estimate *x)
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
	for (size_t i = g->ops.n; i-- > 0;) {
		for (size_t k = expr_graph_operands(&g->ops.nodes[i], from); k-- > 0;)
			x->used[from[k]] = x->used[from[k]] || x->used[i];
	}
}

static double width_bits(const struct range *r)
{
	return r->kind == RANGE_INT ? log2((double)r->hi.i - (double)r->lo.i + 1) : INFINITY;
}

/* As many values as there are combinations of the parameters, or of the operands' values, or
 * integers in the range, whatever is least. */
static double node_bits(const struct space_estimate *x, const struct space_graph *g, uint32_t i)
{
	double combinations = 0, operands = 0;
	uint32_t from[3];
	const size_t n = expr_graph_operands(&g->ops.nodes[i], from);

	for (uint64_t needs = g->needs[i]; needs; needs &= needs - 1)
		combinations += x->choices[__builtin_ctzll(needs)];
	for (size_t k = 0; k < n; k++)
		operands += x->bits[from[k]];
	return fmin(fmin(combinations, width_bits(&g->open[i])), n > 0 ? operands : INFINITY);
}

static void draw(const struct space_graph *g, struct rng *r, struct range *values)
{
	for (uint32_t i = 0; i < g->ops.n; i++) {
		const struct expr_graph_node *n = &g->ops.nodes[i];
		if (n->kind == EXPR_GRAPH_SLOT) {
			const struct space_choice *c = &g->choices[n->slot];
			values[i] = c->values[rng_below(r, c->n)];
		} else {
			expr_graph_apply(&g->ops, &i, 1, values);
		}
	}
}

/* Combinations drawn at random, always the same ones. */
static void sample_roots(struct space_estimate *x, const struct space_graph *g,
			 struct range *values)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (int s = 0; s < SAMPLES; s++) {
		draw(g, &rng, values);
		for (size_t r = 0; r < g->n_roots; r++)
			x->kept[r] += range_truth(&values[g->roots[r].node]) == RANGE_ALWAYS;
	}
	for (size_t r = 0; r < g->n_roots; r++)
		x->kept[r] = log2((x->kept[r] + 1) / (SAMPLES + 1));
}

enum asc_status space_estimate_init(struct space_estimate *x, const struct space_graph *g,
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
