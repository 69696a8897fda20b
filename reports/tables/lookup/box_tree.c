/* A tree of boxes, built from the top by halving at the middle of the widest dimension; each node
 * knows the bounds of its boxes and their lowest number, by which both questions skip nodes that
 * cannot have a better answer than the one found so far. */
#include "reports/tables/lookup/box_tree.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Boxes of a leaf at most: they are compared one by one, which below about ten is as quick as
 * another node. */
enum { LEAF = 8 };

struct box_node {
	uint32_t first, n; /* its boxes, places in `items` */
	uint32_t lowest;   /* lowest number among them */
	uint32_t right;    /* second child; the first one is the next node; 0: a leaf */
};

static double min(double a, double b)
{
	return a < b ? a : b;
}

static double max(double a, double b)
{
	return a > b ? a : b;
}

void box_tree_fini(struct box_tree *t)
{
	free(t->items);
	free(t->boxes);
	free(t->nodes);
	free(t->bounds);
	*t = (struct box_tree){0};
}

/* ---- building ---- */

struct placed { /* an item by its center in one dimension */
	double center;
	uint32_t item;
};

struct builder {
	struct box_tree *tree;
	const double *boxes;   /* as given, by number */
	struct placed *placed; /* room for all items */
};

static const double *given(const struct builder *b, uint32_t item)
{
	return b->boxes + 2 * b->tree->dims * item;
}

static double center(const struct builder *b, uint32_t item, size_t dim)
{
	return given(b, item)[dim] + given(b, item)[b->tree->dims + dim];
}

/* Writes the bounds of a node's boxes, and the lowest number among these. */
static void measure(const struct builder *b, struct box_node *node, double *bounds)
{
	const size_t dims = b->tree->dims;
	const uint32_t *items = b->tree->items + node->first;

	memcpy(bounds, given(b, items[0]), 2 * dims * sizeof *bounds);
	node->lowest = items[0];
	for (size_t i = 1; i < node->n; i++) {
		const double *box = given(b, items[i]);

		for (size_t d = 0; d < dims; d++) {
			bounds[d] = min(bounds[d], box[d]);
			bounds[dims + d] = max(bounds[dims + d], box[dims + d]);
		}
		if (items[i] < node->lowest)
			node->lowest = items[i];
	}
}

/* Orders what is placed so that nothing below place `middle` has a greater center than what is from
 * it on, by Hoare's selection. */
static void select_middle(struct placed *list, size_t n, size_t middle)
{
	ptrdiff_t low = 0, high = (ptrdiff_t)n - 1;
	const ptrdiff_t wanted = (ptrdiff_t)middle;

	while (low < high) {
		const double pivot = list[low + (high - low) / 2].center;
		ptrdiff_t i = low, j = high;

		while (i <= j) {
			while (list[i].center < pivot)
				i++;
			while (list[j].center > pivot)
				j--;
			if (i <= j) {
				const struct placed kept = list[i];

				list[i++] = list[j];
				list[j--] = kept;
			}
		}
		if (wanted <= j)
			high = j;
		else if (wanted >= i)
			low = i;
		else
			return;
	}
}

/* Builds the node of `n` items from place `first` on, and those below it. */
static void build(const struct builder *b, uint32_t first, uint32_t n)
{
	struct box_tree *t = b->tree;
	const size_t at = t->n_nodes++;
	struct box_node *node = &t->nodes[at];
	uint32_t *items = t->items + first;
	double *bounds = t->bounds + 2 * t->dims * at, widest = 0;
	size_t dim = 0;

	*node = (struct box_node){.first = first, .n = n};
	measure(b, node, bounds);
	for (size_t d = 0; d < t->dims; d++)
		if (bounds[t->dims + d] - bounds[d] > widest) {
			widest = bounds[t->dims + d] - bounds[d];
			dim = d;
		}
	/* Boxes that are all one point cannot be told apart by any dimension. */
	if (n <= LEAF || !(widest > 0))
		return;
	for (uint32_t i = 0; i < n; i++)
		b->placed[i] = (struct placed){center(b, items[i], dim), items[i]};
	select_middle(b->placed, n, n / 2);
	for (uint32_t i = 0; i < n; i++)
		items[i] = b->placed[i].item;
	build(b, first, n / 2);
	node->right = (uint32_t)t->n_nodes;
	build(b, first + n / 2, n - n / 2);
}

bool box_tree_init(struct box_tree *t, size_t dims, const double *boxes, size_t n)
{
	/* Most nodes: a node is halved if it has more than LEAF boxes, so leaves have LEAF / 2 or
	 * more, and there are fewer inner nodes than leaves. */
	const size_t most = 2 * (n / (LEAF / 2) + 1);
	struct builder b = {t, boxes, malloc((n + 1) * sizeof *b.placed)};

	*t = (struct box_tree){.dims = dims,
			       .n = n,
			       .items = malloc((n + 1) * sizeof *t->items),
			       .boxes = malloc((2 * dims * n + 1) * sizeof *t->boxes),
			       .nodes = malloc(most * sizeof *t->nodes),
			       .bounds = malloc((2 * dims * most + 1) * sizeof *t->bounds)};
	if (!b.placed || !t->items || !t->boxes || !t->nodes || !t->bounds) {
		free(b.placed);
		box_tree_fini(t);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		t->items[i] = (uint32_t)i;
	if (n > 0)
		build(&b, 0, (uint32_t)n);
	free(b.placed);
	/* Boxes lie in the order of the leaves, where a question reads them side by side. */
	for (size_t i = 0; i < n; i++)
		memcpy(t->boxes + 2 * dims * i, given(&b, t->items[i]), 2 * dims * sizeof *boxes);
	return true;
}

/* ---- asking ---- */

struct question {
	const struct box_tree *tree;
	const double *point;
	box_accept_fn *accept;
	const void *user;
	uint32_t found;
	double distance; /* of `found` */
};

static double distance(const struct question *q, const double *box)
{
	const size_t dims = q->tree->dims;
	double sum = 0;

	for (size_t d = 0; d < dims; d++)
		sum += max(0, max(box[d] - q->point[d], q->point[d] - box[dims + d]));
	return sum;
}

static const double *box_at(const struct question *q, size_t place)
{
	return q->tree->boxes + 2 * q->tree->dims * place;
}

static const double *bounds_of(const struct question *q, size_t node)
{
	return q->tree->bounds + 2 * q->tree->dims * node;
}

static void find_first(struct question *q, uint32_t at)
{
	const struct box_node *node = &q->tree->nodes[at];

	/* Nothing in here comes before what was found, or holds the point. */
	if (node->lowest >= q->found || distance(q, bounds_of(q, at)) > 0)
		return;
	if (node->right) {
		/* The child with the lower number first: its answer rules out more of the other. */
		const bool swapped =
			q->tree->nodes[node->right].lowest < q->tree->nodes[at + 1].lowest;

		find_first(q, swapped ? node->right : at + 1);
		find_first(q, swapped ? at + 1 : node->right);
		return;
	}
	for (uint32_t i = node->first; i < node->first + node->n; i++) {
		const uint32_t item = q->tree->items[i];

		if (item < q->found && !(distance(q, box_at(q, i)) > 0) && q->accept(q->user, item))
			q->found = item;
	}
}

uint32_t box_tree_first(const struct box_tree *t, const double *point, box_accept_fn *accept,
			const void *user)
{
	struct question q = {t, point, accept, user, BOX_NONE, 0};

	if (t->n > 0)
		find_first(&q, 0);
	return q.found;
}

static void find_nearest(struct question *q, uint32_t at)
{
	const struct box_node *node = &q->tree->nodes[at];

	/* A node that is as far away as what was found may have a box of a lower number. */
	if (distance(q, bounds_of(q, at)) > q->distance)
		return;
	if (node->right) {
		const bool swapped =
			distance(q, bounds_of(q, node->right)) < distance(q, bounds_of(q, at + 1));

		find_nearest(q, swapped ? node->right : at + 1);
		find_nearest(q, swapped ? at + 1 : node->right);
		return;
	}
	for (uint32_t i = node->first; i < node->first + node->n; i++) {
		const uint32_t item = q->tree->items[i];
		const double d = distance(q, box_at(q, i));

		/* The caller's own test looks at more than this tree: it is asked last. */
		if ((d < q->distance || (!(d > q->distance) && item < q->found)) &&
		    q->accept(q->user, item)) {
			q->found = item;
			q->distance = d;
		}
	}
}

uint32_t box_tree_nearest(const struct box_tree *t, const double *point, box_accept_fn *accept,
			  const void *user)
{
	struct question q = {t, point, accept, user, BOX_NONE, DBL_MAX};

	if (t->n > 0)
		find_nearest(&q, 0);
	return q.found;
}
