/* States of partial configurations: values and kinds of live nodes, and nodes that are forgotten.
 * covers: space_level.c */
#include "tuner/workload/space/space_level.h"

#include <string.h>

#include "tests/tap.h"

enum { LIVE = 17 /* kinds take a second word */, WORDS = 1, WIDTH = WORDS + LIVE + 2 };

static uint32_t nodes[LIVE];
static struct space_plan plan = {.words = WORDS};

/* Ranges of all kinds, node by node from `first` on. */
static void set_ranges(struct range *ranges, int first)
{
	for (int i = 0; i < LIVE; i++) {
		ranges[i] =
			(struct range){.kind = (enum range_kind)((first + i) % (RANGE_FAIL + 1))};
		if (ranges[i].kind == RANGE_REAL)
			ranges[i].lo.r = ranges[i].hi.r = i + 0.5;
		else if (ranges[i].kind < RANGE_ANY)
			ranges[i].lo.i = ranges[i].hi.i = i + 1;
	}
}

static bool is_same(const struct range *a, const struct range *b)
{
	return a->kind == b->kind && a->lo.i == b->lo.i && a->hi.i == b->hi.i;
}

/* Whatever node `gone` was, the state is that in which it was never known; the others stay. */
static void check_forgotten(const struct space_level *l, int first, size_t gone, size_t *wrong)
{
	struct range ranges[LIVE], back[LIVE];
	uint64_t state[WIDTH] = {0}, without[WIDTH] = {0};

	set_ranges(ranges, first);
	space_level_write(l, state, ranges);
	space_level_forget(l, state, gone);
	ranges[gone] = (struct range){.kind = RANGE_INT};
	space_level_write(l, without, ranges);
	*wrong += memcmp(state, without, sizeof state) != 0;
	space_level_read(l, state, back);
	for (size_t i = 0; i < LIVE; i++)
		*wrong += !is_same(&back[i], &ranges[i]);
}

static void test_states(struct space_level *l)
{
	struct range ranges[LIVE];
	uint64_t state[WIDTH] = {0};
	uint32_t number = 0, again = 0;
	struct asc_err e;

	for (int first = 0; first <= RANGE_FAIL; first++) {
		set_ranges(ranges, first);
		space_level_write(l, state, ranges);
		tap_int(space_level_enter(l, state, &number, &e), ASC_OK, "a state is entered");
		tap_int(number, first, "kinds of node 0 tell it from those before: %d", first);
		tap_ok(space_level_enter(l, state, &again, &e) == ASC_OK && again == number,
		       "once");
	}
}

int main(void)
{
	struct space_level l = {0};
	size_t wrong = 0;

	for (uint32_t i = 0; i < LIVE; i++)
		nodes[i] = i;
	plan.depths[0].live = (struct space_list){nodes, LIVE};
	tap_int(space_level_width(&plan), WIDTH, "a state has as many words as its kinds need");
	space_level_start(&l, &plan, 0);
	for (int first = 0; first <= RANGE_FAIL; first++)
		for (size_t gone = 0; gone < LIVE; gone++)
			check_forgotten(&l, first, gone, &wrong);
	tap_int(wrong, 0, "each node of each kind is forgotten whole, and alone");
	test_states(&l);
	space_level_fini(&l);
	return tap_done();
}
