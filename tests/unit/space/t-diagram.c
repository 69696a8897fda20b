/* Decision diagrams against the lists of rows that they stand for.
 * covers: diagram.c diagram_reorder.c */
#include "tuner/workload/space/diagram.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"

enum { LEVELS = 5, WIDTH = 4, ALL = 1024 /* WIDTH to the LEVELS */, ROUNDS = 60 };

/* Which rows are in; row r picks r / WIDTH^(LEVELS - 1 - level) % WIDTH. */
struct rows {
	bool in[ALL];
	size_t n;
};

static void picks_of(size_t row, uint16_t *picks)
{
	for (size_t level = LEVELS; level-- > 0; row /= WIDTH)
		picks[level] = (uint16_t)(row % WIDTH);
}

/* The node of rows first .. first + WIDTH^(LEVELS - level) - 1. */
static uint32_t build(struct diagram *d, const struct rows *rows, size_t level, size_t first,
		      struct asc_err *e)
{
	struct diagram_edge edges[WIDTH];
	size_t n = 0, size = 1;
	uint32_t node;

	if (level == LEVELS)
		return rows->in[first] ? DIAGRAM_END : DIAGRAM_NONE;
	for (size_t i = level + 1; i < LEVELS; i++)
		size *= WIDTH;
	for (size_t i = 0; i < WIDTH; i++) {
		const uint32_t child = build(d, rows, level + 1, first + i * size, e);
		if (child != DIAGRAM_NONE)
			edges[n++] = (struct diagram_edge){0, child, (uint16_t)i};
	}
	return diagram_add(d, level, edges, n, &node, e) ? DIAGRAM_NONE : node;
}

static size_t count_wrong(const struct diagram *d, const struct rows *rows)
{
	uint16_t picks[LEVELS], back[LEVELS];
	size_t wrong = 0;
	uint64_t next = 0, index;

	for (size_t row = 0; row < ALL; row++) {
		picks_of(row, picks);
		const bool found = diagram_find(d, picks, &index);
		wrong += found != rows->in[row];
		if (!found)
			continue;
		wrong += index != next++;
		diagram_get(d, index, back);
		wrong += memcmp(picks, back, sizeof picks) != 0;
	}
	return wrong + (diagram_count(d) != rows->n);
}

/* The rows with their levels in another order. */
static void turn_rows(const struct rows *rows, const size_t *from, struct rows *out)
{
	uint16_t picks[LEVELS], old[LEVELS];

	*out = (struct rows){.n = rows->n};
	for (size_t row = 0; row < ALL; row++) {
		size_t at = 0;
		picks_of(row, picks);
		for (size_t i = 0; i < LEVELS; i++)
			old[from[i]] = picks[i];
		for (size_t i = 0; i < LEVELS; i++)
			at = at * WIDTH + old[i];
		out->in[row] = rows->in[at];
	}
}

static void draw_rows(struct rows *rows, struct rng *r, uint64_t one_in)
{
	*rows = (struct rows){0};
	for (size_t i = 0; i < ALL; i++) {
		rows->in[i] = rng_below(r, one_in) == 0;
		rows->n += rows->in[i];
	}
}

static void test_random(void)
{
	struct rng r;
	size_t wrong = 0, larger = 0;

	rng_init(&r, 3);
	for (size_t i = 0; i < ROUNDS; i++) {
		struct diagram d, turned, same;
		struct rows rows, in_turn;
		struct asc_err e;
		size_t from[LEVELS] = {0, 1, 2, 3, 4};
		draw_rows(&rows, &r, 1 + i);
		rng_shuffle(&r, from, LEVELS);
		turn_rows(&rows, from, &in_turn);
		wrong += diagram_init(&d, LEVELS, &e) || diagram_init(&same, LEVELS, &e);
		d.root = build(&d, &rows, 0, 0, &e);
		same.root = build(&same, &in_turn, 0, 0, &e);
		wrong += diagram_reorder(&d, from, &turned, &e) != ASC_OK;
		wrong += count_wrong(&d, &rows) + count_wrong(&turned, &in_turn);
		larger += turned.n_nodes != same.n_nodes;
		diagram_fini(&d);
		diagram_fini(&turned);
		diagram_fini(&same);
	}
	tap_int(wrong, 0, "%d random sets, and with their levels in another order", ROUNDS);
	tap_int(larger, 0, "which have as many nodes as when made that way");
}

static void test_shared(void)
{
	const struct diagram_edge ends[] = {{0, DIAGRAM_END, 1}, {0, DIAGRAM_END, 7}};
	struct diagram d;
	struct asc_err e;
	uint32_t one, again, other, root;
	uint64_t index;
	size_t n;

	tap_ok(diagram_init(&d, 2, &e) == ASC_OK, "a diagram of two levels");
	tap_int(diagram_count(&d), 0, "is empty");
	diagram_add(&d, 1, ends, 2, &one, &e);
	diagram_add(&d, 1, ends, 2, &again, &e);
	diagram_add(&d, 1, ends, 1, &other, &e);
	tap_ok(one == again && one != other, "equal nodes are one");
	diagram_add(&d, 1, ends, 0, &again, &e);
	tap_ok(again == DIAGRAM_NONE, "one without edges is none");
	diagram_add(&d, 0, (struct diagram_edge[]){{0, one, 0}, {0, other, 2}, {0, one, 3}}, 3,
		    &root, &e);
	d.root = root;
	diagram_seal(&d);
	tap_int(diagram_count(&d), 5, "rows are counted");
	tap_ok(diagram_find(&d, (uint16_t[]){2, 1}, &index) && index == 2, "the row is numbered");
	tap_ok(!diagram_find(&d, (uint16_t[]){2, 7}, &index) &&
		       !diagram_find(&d, (uint16_t[]){1, 1}, &index),
	       "what is not there is not found");
	tap_ok(diagram_edges(&d, root, &n)[2].before == 3 && n == 3, "edges know what is before");
	tap_ok(diagram_edge(&d, root, 3) && !diagram_edge(&d, root, 4) &&
		       !diagram_edge(&d, root, 1),
	       "edges are found by pick");
	diagram_fini(&d);
}

/* 2 to the 63 rows fit, twice that many and one more do not. */
static void test_count(void)
{
	struct diagram d;
	struct asc_err e;
	uint32_t node = DIAGRAM_END, small = DIAGRAM_END;

	diagram_init(&d, 64, &e);
	for (size_t level = 64; level-- > 1;) {
		diagram_add(&d, level, (struct diagram_edge[]){{0, node, 0}, {0, node, 1}}, 2,
			    &node, &e);
		diagram_add(&d, level, (struct diagram_edge[]){{0, small, 0}}, 1, &small, &e);
	}
	tap_ok(d.nodes[node].count == UINT64_C(1) << 63, "2^63 rows");
	tap_int(diagram_add(&d, 0, (struct diagram_edge[]){{0, node, 0}, {0, small, 1}}, 2, &d.root,
			    &e),
		ASC_OK, "2^63 + 1 rows");
	tap_ok(diagram_count(&d) == (UINT64_C(1) << 63) + 1, "are counted");
	tap_int(diagram_add(&d, 0, (struct diagram_edge[]){{0, node, 0}, {0, node, 1}}, 2, &small,
			    &e),
		ASC_LIMIT, "2^64 rows are refused");
	diagram_fini(&d);
}

int main(void)
{
	test_random();
	test_shared();
	test_count();
	return tap_done();
}
