/* The choice by time, energy or their product; golden numbers by arithmetic.
 * covers: objective.c */
#include "tuner/result/objective.h"

#include <math.h>

#include "tests/tap.h"

/* Times in ns, energies in J. The first is the fastest; the third takes the least energy, and the
 * second may take as little. The fourth is out of reach in both. */
static const struct objective_cost list[] = {
	{{100, 99, 101}, {0.60, 0.59, 0.61}},
	{{110, 109, 111}, {0.405, 0.395, 0.415}},
	{{140, 139, 141}, {0.40, 0.39, 0.41}},
	{{150, 149, 151}, {0.70, 0.69, 0.71}},
};
enum { N = sizeof list / sizeof *list };

static void test_choice(void)
{
	size_t ties;

	tap_int(objective_choose(OBJECTIVE_TIME, list, N, &ties), 0, "the fastest");
	tap_int(ties, 1, "alone");
	tap_int(objective_choose(OBJECTIVE_ENERGY, list, N, &ties), 1,
		"of two that may take the least energy the faster one");
	tap_int(ties, 2, "of two");
	/* 60, 44.55, 56 and 105 nJ s; 46.1 at most, 54.2 at least. */
	tap_int(objective_choose(OBJECTIVE_EDP, list, N, &ties), 1, "the least product");
	tap_int(ties, 1, "alone");
	tap_int(objective_choose(OBJECTIVE_ENERGY, &list[3], 1, &ties), 0, "one is chosen");
	tap_int(ties, 1, "alone");
}

static void test_figures(void)
{
	const struct objective_cost bare = {{200, NAN, NAN}, {3, NAN, NAN}};
	struct objective_figure f = objective_of(OBJECTIVE_EDP, &list[0]);

	tap_real(f.value, 60e-9, 1e-18, "a product");
	tap_real(f.low, 99e-9 * 0.59, 1e-18, "its least");
	tap_real(f.high, 101e-9 * 0.61, 1e-18, "its most");
	f = objective_of(OBJECTIVE_EDP, &bare);
	tap_ok(f.low == 0.97 * f.value && f.high == 1.03 * f.value,
	       "an energy without an interval may be 3 %% less or more");
	tap_real(f.value, 6e-7, 1e-18, "and the product all the same");
	tap_real(objective_of(OBJECTIVE_ENERGY, &bare).value, 3, 0, "an energy");
	f = objective_of(OBJECTIVE_TIME, &bare);
	tap_ok(f.value == 200 && f.low == 200 && f.high == 200, "a time is exact");
}

static void test_names(void)
{
	enum objective o = OBJECTIVE_TIME;

	for (int i = 0; i < OBJECTIVE_COUNT; i++)
		tap_ok(objective_parse(objective_name((enum objective)i), &o) && (int)o == i, "%s",
		       objective_name((enum objective)i));
	tap_ok(!objective_parse("watts", &o), "no other name");
}

int main(void)
{
	test_choice();
	test_figures();
	test_names();
	return tap_done();
}
