/* Strategies: every index once, uniform, repeatable, and nothing asked that was skipped. */
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/search/index_set.h"
#include "tuner/search/shuffle.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space.h"

enum {
	BATCH = 7,
	SIDE = 12,
	COUNT = SIDE * (SIDE + 1) / 2
}; /* pairs with A <= B: a triangular number */

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

	tap_ok(ops->new (&(struct strategy_options){.space = space, .seed = seed}, &s, &e) ==
		       ASC_OK,
	       "%s: new", ops->name);
	return s;
}

/* The next index; COUNT: nothing is left. */
static uint64_t ask(const struct strategy_ops *ops, struct strategy *s)
{
	struct asc_err e;
	uint64_t index = COUNT;
	size_t n = 1;

	return ops->ask(s, &index, &n, &e) == ASC_OK && n == 1 ? index : COUNT;
}

/* Asks for batches until the end; returns how many there were, counting each index in seen[]. */
static int drain(const struct strategy_ops *ops, struct strategy *s, int seen[COUNT])
{
	struct asc_err e;
	uint64_t list[BATCH];
	size_t n = BATCH;
	int all = 0;

	while (all < 2 * COUNT && ops->ask(s, list, &n, &e) == ASC_OK && n > 0) {
		for (size_t i = 0; i < n; i++)
			if (list[i] < COUNT)
				seen[list[i]]++;
		all += (int)n;
		n = BATCH;
	}
	return all;
}

static void check_all_once(const struct strategy_ops *ops, const struct space *space)
{
	struct strategy *s = start(ops, space, 7);
	struct asc_err e;
	int seen[COUNT] = {0}, wrong = 0;

	tap_ok(ops->skip(s, 3, &e) == ASC_OK && ops->skip(s, COUNT - 1, &e) == ASC_OK &&
		       ops->skip(s, 3, &e) == ASC_OK,
	       "%s: two are skipped, one of them twice", ops->name);
	tap_int(drain(ops, s, seen), COUNT - 2, "%s: all but the two", ops->name);
	for (int i = 0; i < COUNT; i++)
		wrong += seen[i] != (i != 3 && i != COUNT - 1);
	tap_int(wrong, 0, "%s: each exactly once, none that was skipped", ops->name);
	ops->free(s);
}

static void check_repeatable(const struct strategy_ops *ops, const struct space *space)
{
	struct strategy *a = start(ops, space, 5), *b = start(ops, space, 5);
	int different = 0;

	for (int i = 0; i < COUNT; i++) {
		const uint64_t x = ask(ops, a);

		different += x == COUNT || x != ask(ops, b);
	}
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

	if (ops->new (&(struct strategy_options){.space = space, .seed = seed}, &s, &e))
		return;
	for (int i = 0; i < COUNT; i++) {
		index = ask(ops, s);
		n_first[index] += i == 0;
	}
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
	struct asc_err e;
	int wrong = 0;

	index_set_init(&s);
	tap_ok(!index_set_has(&s, 0), "an empty set has nothing");
	for (uint64_t i = 0; i < 5000; i++)
		wrong += index_set_add(&s, i * 1000003, &e) || index_set_add(&s, i * 1000003, &e);
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
	struct asc_err e;
	uint64_t number = 0;
	int wrong = 0;

	shuffle_init(&s, n, 1);
	index_set_init(&seen);
	for (int i = 0; i < 5000; i++) {
		wrong += shuffle_draw(&s, &number, &e) || number >= n ||
			 index_set_has(&seen, number) || index_set_add(&seen, number, &e);
	}
	tap_int(wrong, 0, "5000 of 10^18 numbers, none twice");
	shuffle_fini(&s);
	index_set_fini(&seen);
	shuffle_init(&s, 1, 1);
	tap_ok(shuffle_draw(&s, &number, &e) == ASC_OK && number == 0 && s.left == 0,
	       "one number is drawn once");
	shuffle_fini(&s);
}

static const struct strategy_ops *choose(const struct space *space, uint64_t trials, int64_t ns)
{
	return strategy_auto(
		&(struct strategy_options){.space = space, .trials = trials, .ns = ns});
}

static void check_auto(const struct space *space)
{
	tap_ok(choose(space, 0, 0) == &strategy_exhaustive &&
		       choose(space, COUNT, 0) == &strategy_exhaustive,
	       "what the budget covers is searched exhaustively");
	tap_ok(choose(space, COUNT - 1, 0) == &strategy_random &&
		       choose(space, 0, INT64_MAX) == &strategy_random,
	       "what trials or time may not cover is searched at random");
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
	check_auto(space);
	check_uniform(space);
	check_set();
	check_shuffle();
	space_free(space);
	return tap_done();
}
