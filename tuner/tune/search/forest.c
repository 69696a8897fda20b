#include "tuner/tune/search/forest.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tuner/base/array.h"

enum { MOST_TRIES = 8 /* splits that are drawn, for each that is wanted */ };

void forest_init(struct forest *f, size_t features, uint64_t seed)
{
	*f = (struct forest){.features = features};
	for (size_t i = 0; i < features; i++)
		f->split_on.list[f->split_on.n++] = (uint16_t)i;
	rng_init(&f->rng, seed);
}

void forest_fini(struct forest *f)
{
	for (size_t i = 0; i < FOREST_TREES; i++)
		free(f->trees[i].nodes);
	free(f->order);
	free(f->targets);
	*f = (struct forest){0};
}

static float value_of(const struct forest_node *split, const float *row)
{
	return row[split->first] + split->sign * row[split->other];
}

/* Number below n from 16 or 32 random bits: far more than n, so that all are about as likely. */
static size_t below_16(uint64_t bits, size_t n)
{
	return (size_t)(((bits & UINT16_MAX) * n) >> 16);
}

static size_t below_32(uint64_t bits, size_t n)
{
	return (size_t)(((bits & UINT32_MAX) * n) >> 32);
}

/* Moves the rows in `order` that are below the cut to the front; returns their number. */
static size_t part_rows(const struct forest_node *split, const float *rows, size_t features,
			uint32_t *order, size_t n)
{
	size_t below = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t row = order[i];

		order[i] = order[below];
		order[below] = row;
		below += value_of(split, &rows[row * features]) < split->cut;
	}
	return below;
}

/* ---- growing ---- */

struct grower {
	struct forest *forest;
	const struct forest_rows *rows;
	struct forest_tree *tree;
};

static float value_at(const struct grower *g, const struct forest_node *split, uint32_t row)
{
	return value_of(split, &g->rows->features[row * g->forest->features]);
}

/* Draws a cut between the values of two rows: one, and the next from a random place on that differs
 * from it. false: all are equal. */
static bool draw_cut(const struct grower *g, const uint32_t *order, size_t n,
		     struct forest_node *split)
{
	const uint64_t bits = rng_next(&g->forest->rng);
	const size_t from = below_32(bits >> 32, n);
	const float a = value_at(g, split, order[below_32(bits, n)]);
	float b = a;

	for (size_t i = 0; b == a && i < n; i++)
		b = value_at(g, split, order[from + i < n ? from + i : from + i - n]);
	if (b == a)
		return false;
	const float low = a < b ? a : b, high = a < b ? b : a;

	split->cut = low + (high - low) * (float)rng_uniform(&g->forest->rng);
	/* Rounding may put the cut on an end, and `low` as a cut would part nothing off. */
	split->cut = split->cut > low && split->cut < high ? split->cut : high;
	return true;
}

/* Gain of a split of the rows in `order`, none of whose sides is empty: by how much it lowers the
 * sum of squares. */
static double find_gain(const struct grower *g, const uint32_t *order, size_t n, double total,
			const struct forest_node *split)
{
	const float *targets = g->forest->targets;
	float sum = 0;
	int32_t below = 0;

	for (size_t i = 0; i < n; i++) {
		const int32_t left = value_at(g, split, order[i]) < split->cut;

		below += left;
		sum += (float)left * targets[i]; /* no branch, which could not be predicted */
	}
	const double rest = total - (double)sum, above = (double)n - (double)below;

	return fmax(0, (double)sum * (double)sum / (double)below + rest * rest / above -
			       total * total / (double)n);
}

/* Removes the features that are equal in these rows. */
static void keep_varying(const struct grower *g, const uint32_t *order, size_t n,
			 struct forest_features *v)
{
	const size_t features = g->forest->features, before = v->n;
	const float *rows = g->rows->features, *first = &rows[order[0] * features];

	v->n = 0;
	for (size_t k = 0; k < before; k++) {
		const uint16_t f = v->list[k];
		size_t i = 1;

		while (i < n && rows[order[i] * features + f] == first[f])
			i++;
		v->list[v->n] = f;
		v->n += i < n;
	}
}

/* Draws features: a pair of them in two cases of three. */
static struct forest_node draw_split(struct forest *f, const struct forest_features *v)
{
	const uint64_t bits = rng_next(&f->rng);
	const uint16_t first = v->list[below_16(bits, v->n)];
	const size_t kind = below_16(bits >> 16, 3);
	const uint16_t other = kind ? v->list[below_16(bits >> 32, v->n)] : first;
	const float sign = first == other ? 0.0F : kind == 1 ? 1.0F : -1.0F;

	return (struct forest_node){.first = first, .other = other, .sign = sign};
}

/* Chooses the best of random splits: fewer than features, and fewer than rows. A split that leaves
 * one side empty does not count, up to a limit of draws. false: none was found. */
static bool choose_split(const struct grower *g, const struct forest_features *v,
			 const uint32_t *order, size_t n, double total, struct forest_node *best)
{
	/* Three splits for five features: all of them would make trees alike, and their deviations,
	 * by which the bound explores, small. */
	const size_t some = (3 * g->forest->split_on.n + 4) / 5, wanted = some < n ? some : n - 1;
	double most = -1;

	for (size_t i = 0, good = 0; v->n > 0 && good < wanted && i < MOST_TRIES * wanted; i++) {
		struct forest_node split = draw_split(g->forest, v);

		if (!draw_cut(g, order, n, &split))
			continue;
		const double gain = find_gain(g, order, n, total, &split);

		good++;
		if (gain > most) {
			most = gain;
			*best = split;
		}
	}
	return most >= 0;
}

/* Grows the node `at` over the rows in order[0..n), depth first; `v`: features that may vary. */
static enum asc_status grow(const struct grower *g, struct forest_features v, size_t at,
			    uint32_t *order, size_t n, struct asc_err *e)
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
	if (same) /* nothing is left to learn */
		return ASC_OK;
	keep_varying(g, order, n, &v);
	if (!choose_split(g, &v, order, n, total, &split))
		return ASC_OK;
	const size_t child = t->n,
		     below = part_rows(&split, g->rows->features, g->forest->features, order, n);

	if (!array_room(&t->nodes, child + 1, &t->capacity, sizeof *t->nodes))
		return asc_err_nomem(e);
	t->n += 2;
	split.child = (uint32_t)child;
	t->nodes[at] = split;
	/* `v` goes down by value: what does not vary here does not below. */
	const enum asc_status status = grow(g, v, child, order, below, e);

	return status ? status : grow(g, v, child + 1, order + below, n - below, e);
}

static enum asc_status make_room(struct forest *f, size_t n, struct asc_err *e)
{
	if (n <= f->capacity)
		return ASC_OK;
	free(f->order);
	free(f->targets);
	f->order = malloc(2 * n * sizeof *f->order);
	f->targets = malloc(2 * n * sizeof *f->targets);
	f->capacity = f->order && f->targets ? 2 * n : 0;
	return f->capacity ? ASC_OK : asc_err_nomem(e);
}

enum asc_status forest_grow(struct forest *f, const struct forest_rows *rows, size_t *tree,
			    struct asc_err *e)
{
	struct forest_tree *t = &f->trees[f->oldest];
	const struct grower g = {f, rows, t};

	*tree = f->oldest;
	/* The oldest tree has seen the fewest results. */
	f->oldest = (f->oldest + 1) % FOREST_TREES;
	if (make_room(f, rows->n, e))
		return e->status;
	if (!array_room(&t->nodes, 0, &t->capacity, sizeof *t->nodes))
		return asc_err_nomem(e);
	t->n = 1;
	for (size_t i = 0; i < rows->n; i++)
		f->order[i] = (uint32_t)i;
	return grow(&g, f->split_on, 0, f->order, rows->n, e);
}

/* ---- expectations ---- */

struct walk {
	const struct forest_node *nodes;
	const float *rows;
	size_t features;
	float *out;
};

/* Writes what the leaves below a node expect of the rows in order[0..n). */
static void expect_below(const struct walk *w, const struct forest_node *node, uint32_t *order,
			 size_t n)
{
	/* Rows go down together: a node is read once for all of them, and splits of a block of rows
	 * are a loop that a compiler makes fast. The second child is a loop in place of a call. */
	while (node->child && n > 0) {
		const size_t below = part_rows(node, w->rows, w->features, order, n);

		if (below > 0)
			expect_below(w, &w->nodes[node->child], order, below);
		node = &w->nodes[node->child + 1];
		order += below;
		n -= below;
	}
	for (size_t i = 0; i < n; i++)
		w->out[order[i]] = node->cut;
}

void forest_expect(const struct forest *f, size_t tree, const float *rows, size_t n, float *out)
{
	uint32_t order[FOREST_BLOCK] = {0};

	for (size_t from = 0; from < n; from += FOREST_BLOCK) {
		const size_t part = n - from < FOREST_BLOCK ? n - from : FOREST_BLOCK;
		const struct walk w = {f->trees[tree].nodes, rows + from * f->features, f->features,
				       out + from};

		for (size_t i = 0; i < part; i++)
			order[i] = (uint32_t)i;
		expect_below(&w, w.nodes, order, part);
	}
}

float forest_bound_of(float sum, float squares, float n, float deviations)
{
	const float mean = sum / n, variance = squares / n - mean * mean;

	return mean - deviations * sqrtf(variance > 0 ? variance : 0);
}

void forest_bound(const struct forest *f, const struct forest_view *v, const float *rows, size_t n,
		  float *bounds)
{
	float sums[FOREST_BLOCK] = {0}, squares[FOREST_BLOCK] = {0}, expected[FOREST_BLOCK] = {0};
	size_t trees = 0;

	assert(n <= FOREST_BLOCK);
	for (size_t t = v->first; t < FOREST_TREES; t += v->step, trees++) {
		forest_expect(f, t, rows, n, expected);
		for (size_t i = 0; i < n; i++) {
			sums[i] += expected[i];
			squares[i] += expected[i] * expected[i];
		}
	}
	for (size_t i = 0; i < n; i++)
		bounds[i] = forest_bound_of(sums[i], squares[i], (float)trees, v->deviations);
}
