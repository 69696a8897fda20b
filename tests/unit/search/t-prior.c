/* Results from before a search: which of them count, what they say of configurations, and what a
 * model makes of them.
 * covers: prior.c */
#include "tuner/tune/search/prior.h"

#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/space/space.h"

enum { SIDE = 16, COUNT = SIDE * SIDE, LARGE_SIDE = 40, LARGE_COUNT = LARGE_SIDE * LARGE_SIDE };

static struct asc_err e;

static struct space *make_space(int side)
{
	static struct value values[LARGE_SIDE];
	struct space_param params[2];
	struct space *space = NULL;

	for (int i = 0; i < side; i++)
		values[i] = value_int(i + 1);
	for (int i = 0; i < 2; i++)
		params[i] = (struct space_param){i ? "B" : "A", (size_t)side, values, values[0]};
	tap_int(space_new(&(struct space_spec){params, 2, NULL, 0, {0}}, &space, &e), ASC_OK,
		"a space of %d", side * side);
	return space;
}

static struct strategy_known known(int a, int b, double score, const char *source)
{
	return (struct strategy_known){
		{.n = 2, .values = {value_int(a), value_int(b)}}, score, source};
}

static uint64_t index_of(const struct space *space, int a, int b)
{
	const struct config c = known(a, b, 0, NULL).config;
	uint64_t index = COUNT;

	(void)space_find(space, &c, &index);
	return index;
}

static void check_prior(const struct space *space)
{
	const struct strategy_known list[] = {
		known(1, 1, 64, "x"),   known(2, 1, 32, "x"),  known(3, 1, 16, "x"),
		known(4, 1, 8, "x"),    known(5, 1, 4, "x"),   known(5, 1, 1, "x"),
		known(1, 2, NAN, "x"),  known(1, 3, 0, "x"),   known(1, 4, INFINITY, "x"),
		known(99, 1, 0.5, "x"), known(7, 7, 0.1, "y"), known(7, 8, -1, "y")};
	const struct strategy_options o = {.space = space,
					   .seed = 1,
					   .history = list,
					   .n_history = sizeof list / sizeof *list};
	struct encoding c;
	struct prior p;
	float row[2], out[STRATEGY_HISTORY_SOURCES];

	(void)encoding_init(&c, space, &(struct strategy_features){0}, &e);
	tap_int(prior_init(&p, &c, &o, &e), ASC_OK, "a history with results that are none");
	tap_ok(p.n == 1 && p.sources[0].known.count == 5,
	       "positive scores in the space count, once, and sources of some results");
	encoding_get(&c, index_of(space, 3, 1), row);
	prior_get(&p, index_of(space, 3, 1), row, out);
	tap_ok(out[0] == 4, "what is known is the logarithm of its score");
	encoding_get(&c, index_of(space, 9, 1), row);
	prior_get(&p, index_of(space, 9, 1), row, out);
	tap_ok(out[0] >= 2 && out[0] < 4, "what is not is expected: %g", (double)out[0]);
	prior_fini(&p);
	encoding_fini(&c);
}

/* Results in the order of the second source, against that of the first. */
static void check_judge(void)
{
	enum { RESULTS = 10 };
	struct prior p = {.n = 2};
	struct training_set results = {.features = 3};

	prior_judge(&p, &results, 1);
	tap_ok(p.sources[0].agreement == 2.0 / 3 && p.sources[1].agreement == 2.0 / 3,
	       "a source that nothing is known of is taken for a fair one");
	for (int i = 0; i < RESULTS; i++) {
		const float row[] = {0, (float)-i, (float)i};

		(void)training_set_add(&results, row, i == 3 ? INFINITY : 1 + i, &e);
	}
	prior_judge(&p, &results, 1);
	/* Pairs of the nine that passed: 36. */
	tap_ok(p.sources[0].agreement == 2.0 / 39 && p.sources[1].agreement == 38.0 / 39,
	       "a source is judged by the pairs that it orders as they are");
	tap_ok(prior_find_best(&p) == &p.sources[1], "the best is the one that agrees most");
	p.n = 0;
	tap_ok(!prior_find_best(&p), "there is none without a history");
	training_set_fini(&results);
}

/* A source that orders the slow results as they are, and the best 13 the other way round. */
static void check_judge_best(void)
{
	enum { RESULTS = 40, BEST = 13 };
	struct prior p = {.n = 1};
	struct training_set results = {.features = 1};

	for (int i = 0; i < RESULTS; i++) {
		const float row[] = {(float)(i < BEST ? BEST - i : i + 1)};

		(void)training_set_add(&results, row, 1 + i, &e);
	}
	prior_judge(&p, &results, 0);
	/* Pairs of 13: 78. */
	tap_ok(p.sources[0].agreement == 2.0 / 81,
	       "a source is judged by the best results alone: %g", p.sources[0].agreement);
	training_set_fini(&results);
}

static double score_of(const struct space *space, uint64_t index)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS];

	space_get_picks(space, index, picks);
	return 100 + 9 * abs(picks[0] - 11) + 7 * abs(picks[1] - 3);
}

/* Questions until the best configuration was asked. */
static int find_best(const struct space *space, const struct strategy_known *history, size_t n)
{
	const struct strategy_options o = {
		.space = space, .seed = 5, .history = history, .n_history = n, .history_first = 3};
	struct strategy *s = NULL;
	uint64_t index = 0;
	size_t one = 1;
	int asked = 0;

	if (strategy_new(&strategy_model, &o, &s, &e))
		return -1;
	do {
		asked++;
		if (strategy_ask(s, &index, &one, &e) || one == 0 ||
		    strategy_tell(s, index, &(struct result){0}, score_of(space, index), &e))
			return -1;
	} while (score_of(space, index) > 100);
	strategy_free(s);
	return asked;
}

/* The history is of a device on which the second best is the best, and everything takes twice as
 * long; then the same times of other configurations. */
static void check_model(const struct space *space)
{
	static struct strategy_known list[COUNT];
	const int without = find_best(space, NULL, 0);
	int with, wrong;

	for (uint64_t i = 0; i < COUNT; i++) {
		space_get(space, i, &list[i].config);
		list[i].score = 2 * score_of(space, i) + (score_of(space, i) == 100 ? 20 : 0);
		list[i].source = "other";
	}
	with = find_best(space, list, COUNT);
	for (uint64_t i = 0; i < COUNT; i++)
		list[i].score = score_of(space, i * 37 % COUNT);
	wrong = find_best(space, list, COUNT);
	tap_ok(with > 0 && with <= without, "a history shortens a search: %d, without %d", with,
	       without);
	tap_ok(wrong > 0 && wrong < COUNT / 2, "a wrong one does not stop it: %d", wrong);
}

/* The score with an addend that no parameter tells. */
static double rough_score_of(const struct space *space, uint64_t index)
{
	return score_of(space, index) * (1 + (double)(index * 2654435761U % 1000) / 1000);
}

/* Counts the questions of the first 150 about configurations of the good part, in a space that is
 * too large for a process. */
static int count_fast(const struct space *space, const struct strategy_known *history, size_t n,
		      uint64_t seed)
{
	enum { QUESTIONS = 150 };
	const struct strategy_options o = {.space = space,
					   .seed = seed,
					   .history = history,
					   .n_history = n,
					   .history_first = 3};
	struct strategy *s = NULL;
	uint64_t index = 0;
	size_t one = 1;
	int fast = 0;

	if (strategy_new(&strategy_model, &o, &s, &e))
		return -1;
	for (int i = 0; i < QUESTIONS; i++) {
		if (strategy_ask(s, &index, &one, &e) || one == 0 ||
		    strategy_tell(s, index, &(struct result){0}, rough_score_of(space, index), &e))
			return -1;
		fast += score_of(space, index) <= 200;
	}
	strategy_free(s);
	return fast;
}

/* A history that is right but for a factor and the addend. */
static void check_explore(void)
{
	enum { SEEDS = 8 };
	static struct strategy_known list[LARGE_COUNT];
	struct space *space = make_space(LARGE_SIDE);
	int with = 0, without = 0;

	for (size_t i = 0; i < LARGE_COUNT; i++) {
		space_get(space, i, &list[i].config);
		list[i].score = 2 * score_of(space, i);
		list[i].source = "other";
	}
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		with += count_fast(space, list, LARGE_COUNT, seed);
		without += count_fast(space, NULL, 0, seed);
	}
	tap_ok(with > without + without / 20,
	       "a search with a history that agrees explores less: %d fast ones of %d, without %d",
	       with, SEEDS * 150, without);
	space_free(space);
}

int main(void)
{
	struct space *space = make_space(SIDE);

	check_prior(space);
	check_judge();
	check_judge_best();
	check_model(space);
	check_explore();
	space_free(space);
	return tap_done();
}
