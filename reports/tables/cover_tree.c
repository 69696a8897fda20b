/* The growing of a tree of splits.
 *
 * A leaf holds problems and gives them the configuration that costs them least. Its best split is
 * found by trying each size, each quotient and each product of two sizes: the leaf's problems are
 * sorted by the value, and at each step of the value the lowest costs of both sides are summed. The
 * leaf whose split saves most is split first, so that the first splits of a tree are its most
 * useful ones, and cutting a tree means taking its first splits. Where no single split saves
 * anything, two splits by one value are tried, which part the problems between them from those on
 * both sides.
 *
 * A decision tree of two-sided splits: L. Breiman, J. Friedman, R. Olshen and C. Stone,
 * "Classification and Regression Trees", 1984; in the place of a class, the cheapest configuration.
 */
#include "reports/tables/cover_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover_costs.h"

/* Parts of cross-validation: up to 64 problems each is left out by itself; of more, the
 * number of trees is bounded, each grown without one part in 64. */
enum { FOLDS = 64 };

static const double least_gain = 1e-9; /* of costs: a smaller gain is rounding */

static const double smallest = 1e-9; /* divisor in the place of 0, below any quotient of sizes */

struct candidate {
	struct cover_split split;
	double gain; /* what it saves; 0: there is no candidate */
	double gap;  /* the least value above the split divided by the greatest below */
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
	double *sought;       /* costs by which splits are chosen: smoothed ones, or `costs` */
	struct placed *order; /* problems; those of a leaf side by side */
	/* Sums of costs of each configuration: of a leaf, of its problems below a split, and of
	 * those between the split and a second one. */
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

/* Value at which problems of values `low` and `high` are split: their geometric mean. */
static double middle_of(double low, double high, enum cover_measure measure)
{
	const double middle = sqrt(fmax(low, smallest) * high);

	/* Sizes and products are whole numbers, and so is the end of the range that they make. */
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

/* Lowest cost over all configurations of the problems of `total` without those of `part` and
 * `other` (NULL: none). */
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

/* True if the first gains more. Of equal gains the simpler measure is better (a size before a
 * quotient before a product), then the wider gap: a split far from both neighbours is less likely
 * to part sizes that belong together. */
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

/* Tries all splits of a leaf's problems by one value; `whole` is the leaf's cost. */
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

/* Tries all pairs of splits of a leaf's problems by one value. Only the lower split is kept: the
 * upper one is found again when the part above is split. */
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

/* Tries all splits of a leaf, by each size, quotient and product, one at a time or in pairs. */
static void try_all(struct grower *g, struct leaf *l, double whole,
		    void (*try)(struct grower *g, struct leaf *l, struct cover_split s,
				double whole))
{
	const uint32_t n_axes = (uint32_t)g->costs->table->n_axes;

	for (uint32_t axis = 0; axis < n_axes; axis++)
		for (uint32_t other = axis; other < n_axes; other++)
			for (enum cover_measure m = COVER_SIZE; m <= COVER_PRODUCT; m++) {
				const struct cover_split s = {m, axis, other, 0};

				/* One axis has its size as a value, two have their product.
				 */
				if ((m == COVER_SIZE) != (axis == other))
					continue;
				sort_by(g, l, &s);
				try(g, l, s, whole);
			}
}

/* Finds the configuration of a leaf, which its node gets, and its best split. */
static void settle(struct grower *g, struct leaf *l)
{
	size_t at = 0;

	memset(g->total, 0, g->costs->n_configs * sizeof *g->total);
	for (size_t i = 0; i < l->n; i++)
		add_costs(g, g->order[l->first + i].problem, g->total);
	const double whole = lowest(g, g->total, NULL, NULL, &at);

	g->tree->nodes[l->node].config = g->costs->configs[at];
	l->best = (struct candidate){.gain = 0};
	try_all(g, l, whole, try_value);
	if (!(l->best.gain > 0))
		try_all(g, l, whole, try_pair);
}

/* Splits a leaf: it keeps the problems below the split, a new leaf takes the others. */
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

/* Grows the tree for all problems but those that are left out (NULL: none). */
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

	/* Split number s made the nodes 2s - 1 and 2s, so that a later one's have higher numbers.
	 */
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

bool cover_tree_validate(const struct cover_costs *c, size_t most, size_t *n_splits)
{
	const size_t n = c->table->n_problems, folds = n < FOLDS ? n : FOLDS;
	double *sums = calloc(most + 1, sizeof *sums);
	bool *left_out = calloc(n, sizeof *left_out);
	struct grower g;
	struct cover_tree tree = {0};
	const bool ok = sums && left_out && grower_init(&g, c, &tree);

	/* A single problem leaves nothing to grow a tree for: no split is known to be useful. */
	for (size_t fold = 0; ok && folds > 1 && fold < folds; fold++) {
		for (size_t p = 0; p < n; p++)
			left_out[p] = p % folds == fold;
		grow(&g, left_out);
		/* sums[s] are the costs, not smoothed, of what was left out with s splits. */
		for (size_t p = fold; p < n; p += folds)
			for (size_t s = 0; s <= most; s++) {
				const uint32_t config = cover_tree_find(&tree, s, sizes_of(c, p));

				sums[s] += c->costs[p * c->n_configs + cover_costs_find(c, config)];
			}
	}
	/* Fewer splits before more where both cost the same. */
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
