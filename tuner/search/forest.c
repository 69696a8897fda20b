#include "tuner/search/forest.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/base/array.h"

enum { LEAST = 2 /* rows of a node that may be split */, MOST_TRIES = 8 };

void forest_init(struct forest *f, size_t features, uint64_t seed)
{
	*f = (struct forest){.features = features, .split_on = features};
	rng_init(&f->rng, seed);
}

void forest_fini(struct forest *f)
{
	for (size_t i = 0; i < FOREST_TREES; i++)
		free(f->trees[i].nodes);
	free(f->order);
	free(f->values);
	free(f->targets);
	*f = (struct forest){0};
}

static float value_of(const struct forest_node *split, const float *row)
{
	return row[split->first] + split->sign * row[split->other];
}

/* ---- growing ---- */

struct grower {
	struct forest *forest;
	const struct forest_rows *rows;
	struct forest_tree *tree;
};

/* Gain of a split of the rows in `order`: by how much it lowers the sum of squares; below 0 when
 * one side is empty. Draws the cut between the least and the largest value. */
static double try_split(const struct grower *g, const uint32_t *order, size_t n, double total,
			struct forest_node *split)
{
	const size_t features = g->forest->features;
	float *values = g->forest->values;
	float low = INFINITY, high = -INFINITY, below = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		const float value = value_of(split, &g->rows->features[order[i] * features]);

		values[i] = value;
		low = value < low ? value : low;
		high = value > high ? value : high;
	}
	if (!(low < high))
		return -1;
	split->cut = low + (high - low) * (float)rng_uniform(&g->forest->rng);
	split->cut = split->cut > low ? split->cut : high;
	for (size_t i = 0; i < n; i++) {
		const float left = values[i] < split->cut ? 1 : 0;

		below += left;
		sum += left * g->forest->targets[i];
	}
	const double rest = total - (double)sum, above = (double)n - (double)below;

	return fmax(0, (double)sum * (double)sum / (double)below + rest * rest / above -
			       total * total / (double)n);
}

/* Draws features: a pair of them in two cases of three. */
static struct forest_node draw_split(struct forest *f)
{
	const size_t first = (size_t)rng_below(&f->rng, f->split_on);
	const size_t other =
		rng_below(&f->rng, 3) ? (size_t)rng_below(&f->rng, f->split_on) : first;
	const float sign = first == other ? 0.0F : rng_below(&f->rng, 2) ? 1.0F : -1.0F;

	return (struct forest_node){
		.first = (uint16_t)first, .other = (uint16_t)other, .sign = sign};
}

/* Chooses the best of random splits, somewhat fewer than there are features; those whose rows are
 * all equal do not count, up to a limit. false: none separates the rows. */
static bool choose_split(const struct grower *g, const uint32_t *order, size_t n, double total,
			 struct forest_node *best)
{
	const size_t wanted = (3 * g->forest->split_on + 4) / 5;
	double most = -1;

	for (size_t i = 0, good = 0; good < wanted && i < MOST_TRIES * wanted; i++) {
		struct forest_node split = draw_split(g->forest);
		const double gain = try_split(g, order, n, total, &split);

		good += gain >= 0;
		if (gain > most) {
			most = gain;
			*best = split;
		}
	}
	return most >= 0;
}

/* Moves the rows below the cut to the front; returns their number. */
static size_t part_rows(const struct grower *g, uint32_t *order, size_t n,
			const struct forest_node *split)
{
	size_t below = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t row = order[i];

		if (value_of(split, &g->rows->features[row * g->forest->features]) < split->cut) {
			order[i] = order[below];
			order[below++] = row;
		}
	}
	return below;
}

/* Grows the node `at` over the rows in order[0..n): depth first. */
static enum asc_status grow(const struct grower *g, size_t at, uint32_t *order, size_t n,
			    struct asc_err *e)
{
	struct forest_tree *t = g->tree;
	float *targets = g->forest->targets;
	struct forest_node split = {0};
	double total = 0;
	bool same = true;

	for (size_t i = 0; i < n; i++) {
		targets[i] = g->rows->targets[order[i]];
		total += (double)targets[i];
		same &= targets[i] == targets[0];
	}
	t->nodes[at] = (struct forest_node){.cut = (float)(total / (double)n)};
	if (same || n < LEAST || !choose_split(g, order, n, total, &split))
		return ASC_OK;
	const size_t child = t->n, below = part_rows(g, order, n, &split);

	if (!array_room(&t->nodes, child + 1, &t->capacity, sizeof *t->nodes))
		return asc_err_nomem(e);
	t->n += 2;
	split.child = (uint32_t)child;
	t->nodes[at] = split;
	const enum asc_status status = grow(g, child, order, below, e);

	return status ? status : grow(g, child + 1, order + below, n - below, e);
}

static enum asc_status make_room(struct forest *f, size_t n, struct asc_err *e)
{
	if (n <= f->capacity)
		return ASC_OK;
	free(f->order);
	free(f->values);
	free(f->targets);
	f->order = malloc(2 * n * sizeof *f->order);
	f->values = malloc(2 * n * sizeof *f->values);
	f->targets = malloc(2 * n * sizeof *f->targets);
	f->capacity = f->order && f->values && f->targets ? 2 * n : 0;
	return f->capacity ? ASC_OK : asc_err_nomem(e);
}

enum asc_status forest_grow(struct forest *f, const struct forest_rows *rows, size_t *tree,
			    struct asc_err *e)
{
	struct forest_tree *t = &f->trees[f->oldest];
	const struct grower g = {f, rows, t};

	*tree = f->oldest;
	f->oldest = (f->oldest + 1) % FOREST_TREES;
	if (make_room(f, rows->n, e))
		return e->status;
	if (!array_room(&t->nodes, 0, &t->capacity, sizeof *t->nodes))
		return asc_err_nomem(e);
	t->n = 1;
	for (size_t i = 0; i < rows->n; i++)
		f->order[i] = (uint32_t)i;
	return grow(&g, 0, f->order, rows->n, e);
}

float forest_tree_expect(const struct forest *f, size_t tree, const float *row)
{
	const struct forest_node *nodes = f->trees[tree].nodes, *n = nodes;

	while (n->child)
		n = &nodes[n->child + (value_of(n, row) >= n->cut)];
	return n->cut;
}

float forest_bound_of(float sum, float squares, float n, float deviations)
{
	const float mean = sum / n, variance = squares / n - mean * mean;

	return mean - deviations * sqrtf(variance > 0 ? variance : 0);
}

float forest_bound(const struct forest *f, const float *row, size_t first, size_t step,
		   float deviations)
{
	float sum = 0, squares = 0, n = 0;

	for (size_t t = first; t < FOREST_TREES; t += step) {
		const float expected = forest_tree_expect(f, t, row);

		sum += expected;
		squares += expected * expected;
		n++;
	}
	return forest_bound_of(sum, squares, n, deviations);
}
