#include "reports/tables/cover_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover_costs.h"

enum { FOLDS = 64 };

static const double least_gain = 1e-9; /* rounding is no gain */

static const double smallest = 1e-9; /* of values that are divided by */

struct candidate {
	struct cover_split split;
	double gain; /* 0: none */
	double gap;  /* the next value above divided by the largest below */
};

struct leaf {            /* a part of the problems */
	size_t first, n; /* places in the order of the problems */
	uint32_t node;
	struct candidate best;
};

struct placed { /* a problem and the value by which it is sorted */
	double value;
	uint32_t problem;
};

struct grower {
	const struct cover_costs *costs;
	struct cover_tree *tree;
	double *sought;       /* costs that splits are to save */
	struct placed *order; /* problems; those of a leaf side by side */
	/* Sums of costs of each configuration: of a leaf, of its problems to a split, and of those
	 * from there to a second one. */
	double *total, *below, *between;
	struct leaf *leaves;
	size_t n_leaves;
};

/* ---- values ---- */

static double value_of(const struct cover_split *s, const int64_t *sizes)
{
	const double size = (double)sizes[s->axis], other = (double)sizes[s->other];

	if (s->measure == COVER_SIZE)
		return size;
	return s->measure == COVER_PRODUCT ? size * other : size / fmax(other, 1);
}

static const int64_t *sizes_of(const struct cover_costs *c, size_t problem)
{
	return c->table->sizes + problem * c->table->n_axes;
}

/* The geometric mean of two values; a whole number where values are such. */
static double middle_of(double low, double high, enum cover_measure measure)
{
	const double middle = sqrt(fmax(low, smallest) * high);

	return measure == COVER_QUOTIENT ? middle : fmax(floor(middle), low);
}

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->value < y->value || x->value > y->value)
		return x->value < y->value ? -1 : 1;
	return (x->problem > y->problem) - (x->problem < y->problem);
}

/* ---- splits ---- */

static void add_costs(const struct grower *g, size_t problem, double *sums)
{
	const double *own = g->sought + problem * g->costs->n_configs;

	for (size_t i = 0; i < g->costs->n_configs; i++)
		sums[i] += own[i];
}

/* The lowest sum: `total` minus those of the parts, where there are some. */
static double lowest(const struct grower *g, const double *total, const double *part,
		     const double *other, size_t *at)
{
	double best = INFINITY;

	for (size_t i = 0; i < g->costs->n_configs; i++) {
		const double sum = total[i] - (part ? part[i] : 0) - (other ? other[i] : 0);

		if (sum < best) {
			best = sum;
			*at = i;
		}
	}
	return best;
}

/* True where the first gains more; where both gain the same, the simpler split is better, then the
 * one with the larger gap. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
	if (fabs(a->gain - b->gain) > least_gain)
		return a->gain > b->gain;
	if (a->split.measure != b->split.measure)
		return a->split.measure < b->split.measure;
	return a->gap > b->gap * (1 + least_gain);
}

/* Sorts a leaf's problems by a value. */
static void sort_by(struct grower *g, const struct leaf *l, const struct cover_split *s)
{
	struct placed *own = g->order + l->first;

	for (size_t i = 0; i < l->n; i++)
		own[i].value = value_of(s, sizes_of(g->costs, own[i].problem));
	qsort(own, l->n, sizeof *own, compare_placed);
}

/* Looks for a better split of a leaf's problems by one value; `whole` is the leaf's cost. */
static void try_value(struct grower *g, struct leaf *l, struct cover_split s, double whole)
{
	const struct placed *own = g->order + l->first;
	size_t at;

	memset(g->below, 0, g->costs->n_configs * sizeof *g->below);
	for (size_t i = 0; i + 1 < l->n; i++) {
		const double low = own[i].value, high = own[i + 1].value;

		add_costs(g, own[i].problem, g->below);
		if (!(high > low))
			continue;
		s.at = middle_of(low, high, s.measure);
		const double parts = lowest(g, g->below, NULL, NULL, &at) +
				     lowest(g, g->total, g->below, NULL, &at);
		const struct candidate c = {s, whole - parts, high / fmax(low, smallest)};

		if (c.gain > least_gain && is_better(&c, &l->best))
			l->best = c;
	}
}

/* Looks for a split of a leaf's problems by one value that gains by a second one above, which parts
 * those between from both sides; the second one is found when the rest is divided. */
static void try_pair(struct grower *g, struct leaf *l, struct cover_split s, double whole)
{
	const struct placed *own = g->order + l->first;
	const size_t bytes = g->costs->n_configs * sizeof *g->below;
	size_t at;

	memset(g->below, 0, bytes);
	for (size_t i = 0; i + 2 < l->n; i++) {
		const double low = own[i].value, high = own[i + 1].value;

		add_costs(g, own[i].problem, g->below);
		if (!(high > low))
			continue;
		s.at = middle_of(low, high, s.measure);
		memset(g->between, 0, bytes);
		for (size_t k = i + 1; k + 1 < l->n; k++) {
			add_costs(g, own[k].problem, g->between);
			if (!(own[k + 1].value > own[k].value))
				continue;
			const double parts = lowest(g, g->below, NULL, NULL, &at) +
					     lowest(g, g->between, NULL, NULL, &at) +
					     lowest(g, g->total, g->below, g->between, &at);
			const struct candidate c = {s, whole - parts, high / fmax(low, smallest)};

			if (c.gain > least_gain && is_better(&c, &l->best))
				l->best = c;
		}
	}
}

static void try_one(struct grower *g, struct leaf *l, struct cover_split s, double whole, bool pair)
{
	sort_by(g, l, &s);
	if (pair)
		try_pair(g, l, s, whole);
	else
		try_value(g, l, s, whole);
}

/* Looks for a better split of a leaf by each value, or a pair of them. */
static void try_all(struct grower *g, struct leaf *l, double whole, bool pair)
{
	const uint32_t n_axes = (uint32_t)g->costs->table->n_axes;

	for (uint32_t axis = 0; axis < n_axes; axis++) {
		try_one(g, l, (struct cover_split){COVER_SIZE, axis, axis, 0}, whole, pair);
		for (uint32_t other = axis + 1; other < n_axes; other++) {
			try_one(g, l, (struct cover_split){COVER_QUOTIENT, axis, other, 0}, whole,
				pair);
			try_one(g, l, (struct cover_split){COVER_PRODUCT, axis, other, 0}, whole,
				pair);
		}
	}
}

/* Sets the configuration of a leaf's node, and its best split: where no split gains anything alone,
 * one that does beside another. */
static void settle(struct grower *g, struct leaf *l)
{
	size_t at = 0;

	memset(g->total, 0, g->costs->n_configs * sizeof *g->total);
	for (size_t i = 0; i < l->n; i++)
		add_costs(g, g->order[l->first + i].problem, g->total);
	const double whole = lowest(g, g->total, NULL, NULL, &at);

	g->tree->nodes[l->node].config = g->costs->configs[at];
	l->best = (struct candidate){.gain = 0};
	try_all(g, l, whole, false);
	if (!(l->best.gain > 0))
		try_all(g, l, whole, true);
}

/* Splits a leaf: it keeps the problems below, and a new one takes the others. */
static void divide(struct grower *g, struct leaf *l)
{
	struct cover_tree *t = g->tree;
	struct leaf *above = &g->leaves[g->n_leaves++];
	const uint32_t below = (uint32_t)t->n_nodes;
	size_t n_below = 0;

	t->nodes[l->node].below = below;
	t->nodes[l->node].split = l->best.split;
	t->nodes[below] = t->nodes[below + 1] = (struct cover_node){0};
	t->n_nodes += 2;
	sort_by(g, l, &l->best.split);
	while (g->order[l->first + n_below].value <= l->best.split.at)
		n_below++;
	*above = (struct leaf){.first = l->first + n_below, .n = l->n - n_below, .node = below + 1};
	l->n = n_below;
	l->node = below;
	settle(g, l);
	settle(g, above);
}

static struct leaf *find_best(struct grower *g)
{
	struct leaf *best = NULL;

	for (size_t i = 0; i < g->n_leaves; i++) {
		struct leaf *l = &g->leaves[i];

		if (l->best.gain > 0 && (!best || l->best.gain > best->best.gain + least_gain))
			best = l;
	}
	return best;
}

/* Problems that are left out (NULL: none) do not count. */
static void grow(struct grower *g, const bool *left_out)
{
	const size_t n = g->costs->table->n_problems;
	size_t n_taken = 0;

	if (g->costs->smooth)
		cover_costs_smooth(g->costs, left_out, g->sought);
	else
		memcpy(g->sought, g->costs->costs, n * g->costs->n_configs * sizeof *g->sought);
	for (uint32_t p = 0; p < n; p++)
		if (!left_out || !left_out[p])
			g->order[n_taken++].problem = p;
	g->leaves[0] = (struct leaf){.n = n_taken};
	g->n_leaves = 1;
	g->tree->n_nodes = 1;
	g->tree->nodes[0] = (struct cover_node){0};
	settle(g, g->leaves);
	for (struct leaf *l = find_best(g); l; l = find_best(g))
		divide(g, l);
}

static void grower_fini(struct grower *g)
{
	free(g->sought);
	free(g->order);
	free(g->total);
	free(g->below);
	free(g->between);
	free(g->leaves);
}

static bool grower_init(struct grower *g, const struct cover_costs *c, struct cover_tree *tree)
{
	const size_t n = c->table->n_problems;

	*g = (struct grower){.costs = c,
			     .tree = tree,
			     .sought = calloc(n * c->n_configs, sizeof *g->sought),
			     .order = calloc(n, sizeof *g->order),
			     .total = calloc(c->n_configs, sizeof *g->total),
			     .below = calloc(c->n_configs, sizeof *g->below),
			     .between = calloc(c->n_configs, sizeof *g->between),
			     .leaves = calloc(n, sizeof *g->leaves)};
	*tree = (struct cover_tree){.nodes = calloc(2 * n, sizeof *tree->nodes)};
	if (g->sought && g->order && g->total && g->below && g->between && g->leaves && tree->nodes)
		return true;
	grower_fini(g);
	cover_tree_fini(tree);
	return false;
}

bool cover_tree_grow(const struct cover_costs *c, struct cover_tree *out)
{
	struct grower g;

	if (!grower_init(&g, c, out))
		return false;
	grow(&g, NULL);
	grower_fini(&g);
	return true;
}

void cover_tree_fini(struct cover_tree *t)
{
	free(t->nodes);
	*t = (struct cover_tree){0};
}

/* ---- cutting ---- */

uint32_t cover_tree_find(const struct cover_tree *t, size_t n_splits, const int64_t *sizes)
{
	uint32_t at = 0;

	while (t->nodes[at].below > 0 && t->nodes[at].below < 2 * n_splits) {
		const struct cover_node *n = &t->nodes[at];

		at = n->below + !(value_of(&n->split, sizes) <= n->split.at);
	}
	return t->nodes[at].config;
}

void cover_tree_cut(struct cover_tree *t, size_t n_splits)
{
	t->n_nodes = 2 * n_splits + 1;
	for (size_t i = 0; i < t->n_nodes; i++)
		if (t->nodes[i].below >= t->n_nodes)
			t->nodes[i].below = 0;
}

/* Adds to sums[s] what the problems that were left out cost with the first s splits. */
static void add_fold(const struct grower *g, const bool *left_out, size_t most, double *sums)
{
	const struct cover_costs *c = g->costs;

	for (size_t p = 0; p < c->table->n_problems; p++)
		for (size_t s = 0; left_out[p] && s <= most; s++) {
			const uint32_t config = cover_tree_find(g->tree, s, sizes_of(c, p));

			sums[s] += c->costs[p * c->n_configs + cover_costs_find(c, config)];
		}
}

bool cover_tree_validate(const struct cover_costs *c, size_t most, size_t *n_splits)
{
	const size_t n = c->table->n_problems, folds = n < FOLDS ? n : FOLDS;
	double *sums = calloc(most + 1, sizeof *sums);
	bool *left_out = calloc(n, sizeof *left_out);
	struct grower g;
	struct cover_tree tree = {0};
	const bool ok = sums && left_out && grower_init(&g, c, &tree);

	for (size_t fold = 0; ok && folds > 1 && fold < folds; fold++) {
		for (size_t p = 0; p < n; p++)
			left_out[p] = p % folds == fold;
		grow(&g, left_out);
		add_fold(&g, left_out, most, sums);
	}
	*n_splits = 0;
	for (size_t s = 1; ok && s <= most; s++)
		if (sums[s] < sums[*n_splits] - least_gain)
			*n_splits = s;
	if (ok)
		grower_fini(&g);
	cover_tree_fini(&tree);
	free(sums);
	free(left_out);
	return ok;
}
