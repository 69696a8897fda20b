/* Strategies: every index once, uniform, repeatable, and nothing asked that was skipped.
 * covers: strategy.c anneal.c climb.c exhaustive.c model.c population.c shuffle.c tabu.c visits.c
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/tune/search/shuffle.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/tune/search/visits.h"
#include "tuner/workload/space/space.h"

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
			      uint64_t seed, uint64_t trials)
{
	const struct strategy_options o = {.space = space, .seed = seed, .trials = trials};
	struct strategy *s = NULL;
	struct asc_err e;

	tap_ok(strategy_new(ops, &o, &s, &e) == ASC_OK, "%s: new", ops->name);
	return s;
}

/* Score of an index: a bowl with a few failures; all fail when `shape` is FAILING. */
enum shape { BOWL, FLAT, FAILING };

static double score_of(const struct space *space, uint64_t index, enum shape shape)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS];
	double score = 10;

	space_get_picks(space, index, picks);
	for (size_t i = 0; shape == BOWL && i < space_params(space); i++)
		score += (picks[i] - 4.0 - (double)i) * (picks[i] - 4.0 - (double)i);
	return shape == FAILING || (shape == BOWL && index % 11 == 5) ? INFINITY : score;
}

struct search {
	const struct space *space;
	struct strategy *strategy;
	enum shape shape;
	size_t most, batch; /* budget; the number pending */
	uint64_t pending[BATCH], *asked;
	size_t n_pending, n;
	double best;
};

static bool tell_one(struct search *q, size_t which)
{
	const uint64_t index = q->pending[which];
	const double score = score_of(q->space, index, q->shape);
	const struct result r = {.status = isinf(score) ? RESULT_WRONG : RESULT_OK};
	struct asc_err e;

	q->pending[which] = q->pending[--q->n_pending];
	q->best = score < q->best ? score : q->best;
	return strategy_tell(q->strategy, index, &r, score, &e) == ASC_OK;
}

/* Searches to the end of budget or space: asks for as many as may be pending, tells one, that which
 * was asked first or one in the middle. */
static void search_all(struct search *q)
{
	struct asc_err e;
	bool ok = true;

	for (q->n = 0, q->best = INFINITY; ok;) {
		size_t n = q->most - q->n < q->batch - q->n_pending ? q->most - q->n
								    : q->batch - q->n_pending;

		if (n > 0)
			ok = strategy_ask(q->strategy, q->pending + q->n_pending, &n, &e) == ASC_OK;
		for (size_t i = 0; ok && i < n; i++)
			q->asked[q->n++] = q->pending[q->n_pending++];
		if (!ok || q->n_pending == 0)
			break;
		ok = tell_one(q, (q->n / 3) % q->n_pending);
	}
	tap_ok(ok, "a search of %zu ends in order", q->n);
}

static void check_all_once(const struct strategy_ops *ops, const struct space *space,
			   enum shape shape, size_t batch)
{
	uint64_t asked[2 * COUNT];
	struct search q = {.space = space,
			   .strategy = start(ops, space, 7, 40),
			   .shape = shape,
			   .most = 2 * COUNT,
			   .batch = batch,
			   .asked = asked};
	struct asc_err e;
	int seen[COUNT] = {0}, wrong = 0;

	tap_ok(strategy_skip(q.strategy, 3, &e) == ASC_OK &&
		       strategy_skip(q.strategy, COUNT - 1, &e) == ASC_OK &&
		       strategy_skip(q.strategy, 3, &e) == ASC_OK &&
		       strategy_tell(q.strategy, 3, &(struct result){0}, 50, &e) == ASC_OK &&
		       strategy_tell(q.strategy, COUNT - 1, &(struct result){0}, 50, &e) == ASC_OK,
	       "%s: two are skipped, one of them twice", ops->name);
	search_all(&q);
	tap_int(q.n, COUNT - 2, "%s, shape %d, %zu pending: all but the two", ops->name, shape,
		batch);
	for (size_t i = 0; i < q.n; i++)
		seen[asked[i]]++;
	for (int i = 0; i < COUNT; i++)
		wrong += seen[i] != (i != 3 && i != COUNT - 1);
	tap_int(wrong, 0, "%s: each exactly once, none that was skipped", ops->name);
	strategy_free(q.strategy);
}

static void check_repeatable(const struct strategy_ops *ops, const struct space *space)
{
	uint64_t asked[2][COUNT];
	struct search q = {.space = space, .most = 50, .batch = 3};

	for (int i = 0; i < 2; i++) {
		q.strategy = start(ops, space, 5, 50);
		q.asked = asked[i];
		search_all(&q);
		strategy_free(q.strategy);
	}
	tap_ok(q.n == 50 && memcmp(asked[0], asked[1], 50 * sizeof **asked) == 0,
	       "%s: the same seed asks the same", ops->name);
}

/* A result that never comes is the end, not an endless wait. */
static void check_lost(const struct strategy_ops *ops, const struct space *space)
{
	struct strategy *s = start(ops, space, 1, 0);
	struct asc_err e;
	uint64_t list[BATCH];
	size_t n = BATCH, all = 0;

	while (all < 2 * COUNT && strategy_ask(s, list, &n, &e) == ASC_OK && n > 0) {
		all += n;
		n = BATCH;
	}
	tap_ok(n == 0 && all >= 1 && all <= COUNT, "%s: without results it ends after %zu",
	       ops->name, all);
	strategy_free(s);
}

/* 60 parameters of two values: 2^60 configurations. */
static struct space *make_large(void)
{
	static const struct value values[] = {{.kind = VALUE_INT, .i = 1},
					      {.kind = VALUE_INT, .i = 2}};
	static char names[60][4];
	struct space_param params[60];
	struct space *space = NULL;
	struct asc_err e;

	for (int i = 0; i < 60; i++) {
		snprintf(names[i], sizeof names[i], "p%02d", i);
		params[i] = (struct space_param){names[i], 2, values, values[0]};
	}
	if (space_new(&(struct space_spec){params, 60, NULL, 0, {0}}, &space, &e))
		tap_note("%s", e.text);
	return space;
}

static void check_large(const struct strategy_ops *ops, const struct space *space)
{
	uint64_t asked[200];
	struct search q = {.space = space,
			   .strategy = start(ops, space, 2, 200),
			   .shape = BOWL,
			   .most = 200,
			   .batch = 4,
			   .asked = asked};
	struct visits seen;
	struct asc_err e;

	search_all(&q);
	visits_init(&seen);
	for (size_t i = 0; i < q.n; i++)
		(void)visits_add(&seen, asked[i], &e);
	tap_ok(q.n == 200 && seen.count == 200, "%s: 200 of 2^60, none twice", ops->name);
	visits_fini(&seen);
	strategy_free(q.strategy);
}

/* Three shares of a space: together all of it, nothing twice; of a large one as many as are wanted,
 * none of another share. */
static void check_parts(const struct strategy_ops *ops, const struct space *space,
			const struct space *large)
{
	enum { PARTS = 3, SOME = 60 };
	uint64_t asked[2 * COUNT];
	int seen[COUNT] = {0}, wrong = 0;
	size_t foreign = 0;

	for (uint64_t k = 1; k <= PARTS; k++) {
		for (int of_large = 0; of_large < 2; of_large++) {
			struct search q = {.space = of_large ? large : space,
					   .shape = BOWL,
					   .most = of_large ? SOME : 2 * COUNT,
					   .batch = 4,
					   .asked = asked};
			const struct strategy_options o = {
				.space = q.space, .seed = 7, .trials = 40, .part = {k, PARTS}};
			struct asc_err e;

			if (strategy_new(ops, &o, &q.strategy, &e))
				continue;
			search_all(&q);
			for (size_t i = 0; i < q.n; i++) {
				foreign += !strategy_part_has(&o.part, q.space, asked[i]);
				seen[of_large ? 0 : asked[i]] += !of_large;
			}
			if (of_large)
				tap_int((long long)q.n, SOME, "%s: 60 of a part of 2^60",
					ops->name);
			else
				tap_ok(q.n > COUNT / 5 && q.n < COUNT / 2 &&
					       strategy_is_done(q.strategy),
				       "%s: part %d has about a third, %zu", ops->name, (int)k,
				       q.n);
			strategy_free(q.strategy);
		}
	}
	for (int i = 0; i < COUNT; i++)
		wrong += seen[i] != 1;
	tap_int(wrong, 0, "%s: each configuration is in one part", ops->name);
	tap_int((long long)foreign, 0, "%s: none of another part is asked", ops->name);
}

static void check_single(const struct strategy_ops *ops)
{
	static const struct value one = {.kind = VALUE_INT, .i = 1};
	const struct space_param param = {"A", 1, &one, one};
	struct space *space = NULL;
	struct strategy *s;
	struct asc_err e;
	uint64_t list[2] = {9};
	size_t n = 2;

	tap_int(space_new(&(struct space_spec){&param, 1, NULL, 0, {0}}, &space, &e), ASC_OK,
		"a space of one");
	s = start(ops, space, 1, 1);
	tap_ok(strategy_ask(s, list, &n, &e) == ASC_OK && n == 1 && list[0] == 0,
	       "%s: of one configuration it asks that one", ops->name);
	(void)strategy_tell(s, 0, &(struct result){0}, 1, &e);
	n = 2;
	tap_ok(strategy_ask(s, list, &n, &e) == ASC_OK && n == 0, "%s: and then none", ops->name);
	strategy_free(s);
	s = start(ops, space, 1, 1);
	n = 2;
	(void)strategy_skip(s, 0, &e);
	tap_ok(strategy_ask(s, list, &n, &e) == ASC_OK && n == 0, "%s: none of the default alone",
	       ops->name);
	strategy_free(s);
	space_free(space);
}

static void draw_order(const struct space *space, uint64_t seed, int n_first[COUNT],
		       int n_last[COUNT])
{
	const struct strategy_ops *ops = strategy_find("random");
	struct strategy *s = NULL;
	struct asc_err e;
	uint64_t index = 0;

	if (strategy_new(ops, &(struct strategy_options){.space = space, .seed = seed}, &s, &e))
		return;
	for (int i = 0; i < COUNT; i++) {
		size_t n = 1;

		(void)strategy_ask(s, &index, &n, &e);
		n_first[index] += i == 0;
	}
	n_last[index]++;
	strategy_free(s);
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

static void check_visits(void)
{
	struct visits v;
	struct asc_err e;
	int wrong = 0;

	visits_init(&v);
	tap_ok(!visits_find(&v, 0), "at first nothing was visited");
	for (uint64_t i = 0; i < 5000; i++)
		wrong += visits_add(&v, i * 1000003, &e) ||
			 !isnan(visits_find(&v, i * 1000003)->score);
	for (uint64_t i = 0; i < 5000; i++)
		visits_find(&v, i * 1000003)->score = (double)i;
	for (uint64_t i = 0; i < 5000; i++)
		wrong += visits_add(&v, i * 1000003, &e) != ASC_OK;
	tap_int(v.count, 5000, "adding twice counts once");
	for (uint64_t i = 0; i < 5000; i++)
		wrong += visits_find(&v, i * 1000003)->score != (double)i ||
			 visits_find(&v, i * 1000003 + 1);
	tap_int(wrong, 0, "each keeps its score, and nothing else was visited");
	visits_fini(&v);
}

/* Of 10^18 numbers: what is drawn is different, and below. */
static void check_shuffle(void)
{
	const uint64_t n = UINT64_C(1000000000000000000);
	struct shuffle s;
	struct visits seen;
	struct asc_err e;
	uint64_t number = 0;
	int wrong = 0;

	shuffle_init(&s, n, 1);
	visits_init(&seen);
	for (int i = 0; i < 5000; i++) {
		wrong += shuffle_draw(&s, &number, &e) || number >= n ||
			 visits_find(&seen, number) || visits_add(&seen, number, &e);
	}
	tap_int(wrong, 0, "5000 of 10^18 numbers, none twice");
	shuffle_fini(&s);
	visits_fini(&seen);
	shuffle_init(&s, 1, 1);
	tap_ok(shuffle_draw(&s, &number, &e) == ASC_OK && number == 0 && s.left == 0,
	       "one number is drawn once");
	shuffle_fini(&s);
}

/* Asks for as many as the strategy gives, and tells the first `tell` of them. */
static size_t ask_and_tell(struct strategy *s, const struct space *space, size_t tell)
{
	uint64_t list[COUNT];
	size_t n = COUNT;
	struct asc_err e;

	if (strategy_ask(s, list, &n, &e))
		return SIZE_MAX;
	for (size_t i = 0; i < n && i < tell; i++) {
		const struct result r = {.status = RESULT_OK};

		(void)strategy_tell(s, list[i], &r, score_of(space, list[i], BOWL), &e);
	}
	return n;
}

/* The model wants few pending, more when it has more results. */
static void check_pending(const struct space *space)
{
	struct strategy *s = start(&strategy_model, space, 1, 0);

	tap_int(ask_and_tell(s, space, 20), 20, "the first questions wait for no result");
	for (size_t told = 20; told < 40; told += 4)
		tap_int(ask_and_tell(s, space, 4), 4, "after %zu results 4 may be pending", told);
	tap_int(ask_and_tell(s, space, 2), 5, "after 40 results 5");
	tap_int(ask_and_tell(s, space, 0), 2, "for each that comes back another one");
	strategy_set_devices(s, 8);
	tap_int(ask_and_tell(s, space, 0), 6, "on 8 devices 7 more than on one");
	strategy_free(s);
}

static bool is_near(const struct space *space, uint64_t a, uint64_t b)
{
	uint16_t x[CONFIG_MAX_PARAMETERS], y[CONFIG_MAX_PARAMETERS];
	size_t differ = 0;

	space_get_picks(space, a, x);
	space_get_picks(space, b, y);
	for (size_t i = 0; i < space_params(space); i++)
		differ += x[i] != y[i];
	return differ == 1;
}

/* Where all neighbours are far slower, the known ones too, a local search stays until it has asked
 * for each of the others. */
static void check_stays(const struct strategy_ops *ops, const struct space *space)
{
	const struct result r = {.status = RESULT_OK};
	struct strategy *s = start(ops, space, 4, 0);
	uint64_t best = 0, index = 0;
	size_t n = 1;
	int unknown = 0, wrong = 0;
	struct asc_err e;

	(void)strategy_ask(s, &best, &n, &e);
	for (uint64_t i = 0; i < COUNT; i++) {
		unknown += i % 2 && is_near(space, i, best);
		if (i % 2 == 0 && is_near(space, i, best))
			wrong += strategy_skip(s, i, &e) || strategy_tell(s, i, &r, 1e9, &e);
	}
	wrong += strategy_tell(s, best, &r, 10, &e) != ASC_OK;
	for (int i = 0; i < unknown; i++) {
		n = 1;
		wrong += strategy_ask(s, &index, &n, &e) || n != 1 || !is_near(space, index, best);
		wrong += strategy_tell(s, index, &r, 1e9, &e) != ASC_OK;
	}
	tap_ok(unknown > 0 && wrong == 0, "%s: of %d questions %d are not near the best", ops->name,
	       unknown, wrong);
	strategy_free(s);
}

/* One parameter of so many values that a pool is a part of them; the best is in the middle of the
 * fourth quarter. The pool is chosen anew as the model learns, or it would have few that are near
 * the best. */
static void check_pool(void)
{
	enum { VALUES = 16000, BEST = 14000, NEAR = 50, ASKED = 200 };
	static struct value values[VALUES];
	const struct space_param param = {"A", VALUES, values, value_int(0)};
	struct space *space = NULL;
	struct strategy *s;
	struct asc_err e;
	int near = 0;

	for (int i = 0; i < VALUES; i++)
		values[i] = value_int(i);
	tap_int(space_new(&(struct space_spec){&param, 1, NULL, 0, {0}}, &space, &e), ASC_OK,
		"a space of one long parameter");
	s = start(&strategy_model, space, 1, 0);
	for (int i = 0; i < ASKED; i++) {
		const struct result r = {.status = RESULT_OK};
		uint64_t index = 0;
		size_t n = 1;

		(void)strategy_ask(s, &index, &n, &e);
		const double away = fabs((double)index - BEST);

		near += away <= NEAR;
		(void)strategy_tell(s, index, &r, 10 + away / 100, &e);
	}
	tap_ok(near > ASKED * 3 / 8, "model: %d of %d questions are near the best", near, ASKED);
	strategy_free(s);
	space_free(space);
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
	tap_ok(choose(space, COUNT - 1, 0) == &strategy_model &&
		       choose(space, 0, INT64_MAX) == &strategy_model,
	       "what trials or time may not cover is searched by the model");
}

/* A model tells what it expects once something has passed and while something is left; others
 * expect nothing. */
static void check_expect(const struct space *space)
{
	uint64_t asked[COUNT];
	struct search q = {.space = space, .shape = BOWL, .most = 60, .batch = 1, .asked = asked};

	q.strategy = start(&strategy_model, space, 3, 0);
	tap_ok(isinf(strategy_expect(q.strategy)), "nothing is known");
	search_all(&q);
	const double after_60 = strategy_expect(q.strategy);

	tap_ok(after_60 >= 0 && after_60 < 0.5, "after 60 of %d, the best known: %g", COUNT,
	       after_60);
	q.most = COUNT;
	search_all(&q);
	tap_real(strategy_expect(q.strategy), 0, 0, "nothing is left");
	strategy_free(q.strategy);
	q.strategy = start(&strategy_random, space, 3, 0);
	tap_real(strategy_expect(q.strategy), 0, 0, "random expects nothing");
	strategy_free(q.strategy);
}

int main(void)
{
	struct space *space = make_space(), *large = make_large();

	tap_int(space_count(space), COUNT,
		"the test's space has a triangular number of configurations");
	for (size_t i = 0; strategy_list[i]; i++) {
		for (enum shape shape = BOWL; shape <= FAILING; shape++) {
			check_all_once(strategy_list[i], space, shape, 1);
			check_all_once(strategy_list[i], space, shape, BATCH);
		}
		check_repeatable(strategy_list[i], space);
		check_lost(strategy_list[i], space);
		check_large(strategy_list[i], large);
		check_parts(strategy_list[i], space, large);
		check_single(strategy_list[i]);
		tap_ok(strategy_find(strategy_list[i]->name) == strategy_list[i],
		       "%s is found by name", strategy_list[i]->name);
	}
	tap_ok(!strategy_find("no such"), "an unknown name finds nothing");
	check_stays(strategy_find("climb"), space);
	check_stays(strategy_find("anneal"), space);
	check_pool();
	check_auto(space);
	check_pending(space);
	check_expect(space);
	check_uniform(space);
	check_visits();
	check_shuffle();
	space_free(large);
	space_free(space);
	return tap_done();
}
