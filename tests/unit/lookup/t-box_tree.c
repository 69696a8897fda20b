/* Questions to trees of boxes, beside a look at every box.
 * covers: box_tree.c */
#include "reports/tables/lookup/box_tree.h"

#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"

enum { MOST = 2000, DIMS = 4 };

struct boxes {
	double list[MOST * 2 * DIMS];
	size_t n, dims;
	uint32_t refused; /* boxes whose number it divides are not accepted; 0: all are */
};

static bool accept(const void *user, uint32_t box)
{
	const struct boxes *b = user;

	return b->refused == 0 || box % b->refused != 0;
}

/* Small whole numbers, so that many boxes are the same and many distances are equal. */
static void make(struct boxes *b, struct rng *r, bool points)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t d = 0; d < b->dims; d++) {
			double *low = &b->list[2 * b->dims * i + d];

			*low = (double)rng_below(r, 40);
			low[b->dims] = *low + (points ? 0 : (double)rng_below(r, 12));
		}
}

static double distance(const struct boxes *b, uint32_t box, const double *point)
{
	const double *low = &b->list[2 * b->dims * box];
	double sum = 0;

	for (size_t d = 0; d < b->dims; d++)
		sum += fmax(0, fmax(low[d] - point[d], point[d] - low[b->dims + d]));
	return sum;
}

static uint32_t first_by_hand(const struct boxes *b, const double *point)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (accept(b, i) && !(distance(b, i, point) > 0))
			return i;
	return BOX_NONE;
}

static uint32_t nearest_by_hand(const struct boxes *b, const double *point)
{
	uint32_t found = BOX_NONE;

	for (uint32_t i = 0; i < b->n; i++)
		if (accept(b, i) &&
		    (found == BOX_NONE || distance(b, i, point) < distance(b, found, point)))
			found = i;
	return found;
}

static void test_random(struct boxes *b, struct rng *r, bool points)
{
	struct box_tree t;
	size_t first = 0, nearest = 0, held = 0;
	enum { QUESTIONS = 500 };

	make(b, r, points);
	if (!tap_ok(box_tree_init(&t, b->dims, b->list, b->n), "a tree of %zu boxes in %zu dims",
		    b->n, b->dims))
		return;
	for (int i = 0; i < QUESTIONS; i++) {
		double point[DIMS];

		for (size_t d = 0; d < b->dims; d++)
			point[d] = (double)rng_below(r, 50) - 5;
		const uint32_t wanted = first_by_hand(b, point);

		held += wanted != BOX_NONE;
		first += box_tree_first(&t, point, accept, b) == wanted;
		nearest += box_tree_nearest(&t, point, accept, b) == nearest_by_hand(b, point);
	}
	tap_int((long)first, QUESTIONS, "the first that holds a point (%zu are in one)", held);
	tap_int((long)nearest, QUESTIONS, "the nearest");
	box_tree_fini(&t);
}

static void test_edges(void)
{
	static const double same[] = {3, 4, 3, 4, 3, 4, 3, 4};
	const double at[] = {3, 4}, off[] = {9, 9};
	struct boxes all = {.refused = 0};
	struct box_tree t;

	tap_ok(box_tree_init(&t, 2, same, 0), "a tree of nothing");
	tap_int(box_tree_first(&t, at, accept, &all), BOX_NONE, "holds no point");
	tap_int(box_tree_nearest(&t, at, accept, &all), BOX_NONE, "and has none near one");
	box_tree_fini(&t);
	tap_ok(box_tree_init(&t, 2, same, 2), "a tree of one point twice");
	tap_int(box_tree_first(&t, at, accept, &all), 0, "answers with the lower number");
	tap_int(box_tree_first(&t, off, accept, &all), BOX_NONE, "holds no other point");
	tap_int(box_tree_nearest(&t, off, accept, &all), 0, "but is near to it");
	all.refused = 1;
	tap_int(box_tree_nearest(&t, off, accept, &all), BOX_NONE, "unless nothing is accepted");
	box_tree_fini(&t);
	all.refused = 0;
	tap_ok(box_tree_init(&t, 0, same, 3), "a tree of boxes without a dimension");
	tap_int(box_tree_first(&t, at, accept, &all), 0, "which hold everything");
	box_tree_fini(&t);
}

int main(void)
{
	static struct boxes b;
	struct rng r;

	rng_init(&r, 5);
	for (size_t dims = 1; dims <= DIMS; dims++)
		for (b.n = 1; b.n <= MOST; b.n *= 7) {
			b.dims = dims;
			b.refused = (uint32_t)(b.n % 3) * 2;
			test_random(&b, &r, b.n % 2 == 0);
		}
	b.n = MOST;
	test_random(&b, &r, true);
	test_edges();
	return tap_done();
}
