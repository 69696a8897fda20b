/* Strategies: every index once, uniform, repeatable, and nothing asked that was told before. */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/model/space.h"
#include "tuner/search/index_set.h"
#include "tuner/search/shuffle.h"
#include "tuner/search/strategy.h"

enum { SIDE = 12, COUNT = SIDE * (SIDE + 1) / 2 }; /* pairs with A <= B: a triangular number */

static struct space *make_space(void)
{
	static struct value values[SIDE];
	struct space_condition ordered = {"A <= B", "constraints[0]"};
	struct space_param params[2];
	struct space *space = NULL;
	struct asc_err e;

	for (int i = 0; i < SIDE; i++)
		values[i] = value_int(i);
	for (int i = 0; i < 2; i++)
		params[i] = (struct space_param){i ? "B" : "A", SIDE, values, values[0]};
	if (space_new(&(struct space_spec){params, 2, &ordered, 1, {0}}, &space, &e))
		tap_note("%s", e.text);
	return space;
}

static struct strategy *start(const struct strategy_ops *ops, const struct space *space,
			      uint64_t seed)
{
	struct strategy *s = NULL;
	struct asc_err e;

	tap_ok(ops->new (space, seed, &s, &e) == ASC_OK, "%s: new", ops->name);
	return s;
}

/* Asks until the end; returns how many, counting each index in seen[]. */
static int drain(const struct strategy_ops *ops, struct strategy *s, int seen[COUNT])
{
	uint64_t index;
	int n = 0;

	while (n < 2 * COUNT && ops->ask(s, &index)) {
		n++;
		if (index < COUNT)
			seen[index]++;
	}
	return n;
}

static void check_all_once(const struct strategy_ops *ops, const struct space *space)
{
	struct strategy *s = start(ops, space, 7);
	int seen[COUNT] = {0}, wrong = 0;

	ops->tell(s, 3, RESULT_OK, 100.0);
	ops->tell(s, COUNT - 1, RESULT_CRASHED, 0);
	tap_int(drain(ops, s, seen), COUNT - 2, "%s: all but the two that were told", ops->name);
	for (int i = 0; i < COUNT; i++)
		wrong += seen[i] != (i != 3 && i != COUNT - 1);
	tap_int(wrong, 0, "%s: each exactly once, none that was told", ops->name);
	ops->free(s);
}

static void check_repeatable(const struct strategy_ops *ops, const struct space *space)
{
	struct strategy *a = start(ops, space, 5), *b = start(ops, space, 5);
	uint64_t x = 0, y = 0;
	int different = 0;

	for (int i = 0; i < COUNT; i++)
		different += !ops->ask(a, &x) || !ops->ask(b, &y) || x != y;
	tap_int(different, 0, "%s: the same seed asks the same", ops->name);
	ops->free(a);
	ops->free(b);
}

static void draw_order(const struct space *space, uint64_t seed, int n_first[COUNT],
		       int n_last[COUNT])
{
	const struct strategy_ops *ops = strategy_find("random");
	struct strategy *s = NULL;
	struct asc_err e;
	uint64_t index = 0;

	if (ops->new (space, seed, &s, &e))
		return;
	for (int i = 0; i < COUNT && ops->ask(s, &index); i++)
		n_first[index] += i == 0;
	n_last[index]++;
	ops->free(s);
}

/* First and last places of 7,800 random orders: each index is expected 100 times in each. The 99.9
 * % point of chi-square with 77 % point of chi-square with 77 degrees of freedom is 121.2
 * (Wilson-Hilferty approximation). */
static void check_uniform(const struct space *space)
{
	double first = 0, last = 0;
	int n_first[COUNT] = {0}, n_last[COUNT] = {0};

	for (uint64_t seed = 0; seed < 100 * COUNT; seed++)
		draw_order(space, seed, n_first, n_last);
	for (int i = 0; i < COUNT; i++) {
		first += (n_first[i] - 100.0) * (n_first[i] - 100.0) / 100.0;
		last += (n_last[i] - 100.0) * (n_last[i] - 100.0) / 100.0;
	}
	tap_ok(first < 121.2, "random: the first is uniform (chi-square %.1f)", first);
	tap_ok(last < 121.2, "random: the last is uniform (chi-square %.1f)", last);
}

static void check_set(void)
{
	struct index_set s;
	int wrong = 0;

	index_set_init(&s);
	tap_ok(!index_set_has(&s, 0), "an empty set has nothing");
	for (uint64_t i = 0; i < 5000; i++)
		index_set_add(&s, i * 1000003), index_set_add(&s, i * 1000003);
	tap_int(s.count, 5000, "adding twice counts once");
	for (uint64_t i = 0; i < 5000; i++)
		wrong += !index_set_has(&s, i * 1000003) + index_set_has(&s, i * 1000003 + 1);
	tap_int(wrong, 0, "has what was added and nothing else");
	index_set_fini(&s);
}

/* Of 10^18 numbers: what is drawn is different, and below. */
static void check_shuffle(void)
{
	const uint64_t n = UINT64_C(1000000000000000000);
	struct shuffle s;
	struct index_set seen;
	uint64_t number = 0;
	int wrong = 0;

	shuffle_init(&s, n, 1);
	index_set_init(&seen);
	for (int i = 0; i < 5000; i++) {
		wrong += !shuffle_draw(&s, &number) || number >= n || index_set_has(&seen, number);
		index_set_add(&seen, number);
	}
	tap_int(wrong, 0, "5000 of 10^18 numbers, none twice");
	shuffle_fini(&s);
	index_set_fini(&seen);
	shuffle_init(&s, 1, 1);
	tap_ok(shuffle_draw(&s, &number) && number == 0 && !shuffle_draw(&s, &number),
	       "one number is drawn once");
	shuffle_fini(&s);
}

int main(void)
{
	struct space *space = make_space();

	tap_int(space_count(space), COUNT,
		"the test's space has a triangular number of configurations");
	for (size_t i = 0; strategy_list[i]; i++) {
		check_all_once(strategy_list[i], space);
		check_repeatable(strategy_list[i], space);
		tap_ok(strategy_find(strategy_list[i]->name) == strategy_list[i],
		       "%s is found by name", strategy_list[i]->name);
	}
	tap_ok(!strategy_find("no such"), "an unknown name finds nothing");
	check_uniform(space);
	check_set();
	check_shuffle();
	space_free(space);
	return tap_done();
}
