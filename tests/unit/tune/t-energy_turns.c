/* Energies by turns: who goes on, and what the turns come to. Golden numbers by arithmetic.
 * covers: energy_turns.c */
#include "tuner/tune/energy_turns.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/result/profile.h"

/* Readings of a turn in which a launch took so many joules. */
static void add_turn(struct energy_turns *t, double joules)
{
	struct metric list[] = {
		{.probe = "energy", .name = "energy_j", .unit = "J", .value = joules},
		{.probe = "energy", .name = "energy_j", .unit = "J", .value = 99, .call = 1},
		{.probe = "other", .name = "energy_watts", .unit = "W", .value = 99},
		{.probe = "energy", .name = "energy_watts", .unit = "W", .value = 100 * joules},
		{.probe = "energy", .name = "energy_launches", .unit = "1", .value = 1000},
	};

	energy_turns_take(t, list, sizeof list / sizeof *list);
}

static void test_leaving(void)
{
	static const double joules[][ENERGY_FEWEST_TURNS] = {
		{3.00, 3.10, 3.05}, /* the least in the median */
		{3.30, 3.09, 3.40}, /* one of its turns took less than a turn of the least */
		{3.20, 3.30, 3.15}, /* none did */
	};
	struct energy_turns list[4] = {0};

	for (size_t turn = 0; turn < ENERGY_FEWEST_TURNS; turn++) {
		energy_turns_leave(list, 4);
		tap_ok(!list[0].left && !list[1].left && !list[2].left,
		       "before %d turns nobody leaves", ENERGY_FEWEST_TURNS);
		for (size_t i = 0; i < 3; i++)
			add_turn(&list[i], joules[i][turn]);
	}
	energy_turns_take(&list[3], NULL, 0);
	tap_ok(list[3].left && list[3].n == 0, "without a reading there is no further turn");
	energy_turns_leave(list, 4);
	tap_ok(!list[0].left, "the least goes on");
	tap_ok(!list[1].left, "and what may take as little");
	tap_ok(list[2].left, "what takes more in every turn leaves");
}

static double value(const struct profile *p, const char *name)
{
	return profile_value(p, name);
}

static void test_giving(void)
{
	static const double joules[ENERGY_TURNS] = {2.0, 2.4, 2.1, 2.2, 2.5, 1.9};
	struct energy_turns t = {0}, one = {0}, none = {0};
	struct profile p = {0};
	struct asc_err e;

	tap_int(energy_turns_give(&none, &p, &e), ASC_OK, "no turn");
	tap_int(p.n_readings, 0, "gives nothing");
	add_turn(&one, 7);
	tap_int(energy_turns_give(&one, &p, &e), ASC_OK, "one turn");
	tap_ok(value(&p, "energy_j") == 7 && isnan(value(&p, "energy_low_j")), "has no interval");
	for (size_t i = 0; i < 3; i++)
		add_turn(&t, joules[i]);
	tap_int(energy_turns_give(&t, &p, &e), ASC_OK, "three turns");
	tap_real(value(&p, "energy_j"), 2.1, 0, "their median");
	tap_ok(value(&p, "energy_low_j") == 2.0 && value(&p, "energy_high_j") == 2.4,
	       "their range");
	for (size_t i = 3; i < ENERGY_TURNS; i++)
		add_turn(&t, joules[i]);
	const size_t before = p.n_readings;

	tap_int(energy_turns_give(&t, &p, &e), ASC_OK, "six turns");
	tap_int(p.n_readings, before, "take the place of what was there");
	tap_real(value(&p, "energy_j"), 2.15, 1e-12, "their median");
	/* Of six values the least and the most enclose the median with 96.9 %, 1 - 2 / 2^6. */
	tap_ok(value(&p, "energy_low_j") == 1.9 && value(&p, "energy_high_j") == 2.5,
	       "their interval");
	tap_real(value(&p, "energy_watts"), 215, 1e-9, "the median power");
	tap_real(value(&p, "energy_launches"), 6000, 0, "all launches");
	tap_ok(isnan(value(&p, "energy_seconds")), "what no turn told is not there");
	add_turn(&t, 9);
	tap_ok(t.n == ENERGY_TURNS && t.left, "there is no seventh turn");
	profile_fini(&p);
}

int main(void)
{
	test_leaving();
	test_giving();
	return tap_done();
}
