/* The best of a history as the first questions of a search: which results count, in which order
 * they are asked, and how many.
 * covers: known_best.c */
#include "tuner/tune/search/known_best.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/tap.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/space/space.h"

enum { COUNT = 32 };

static struct asc_err e;

/* Configurations A=0 .. 31, whose index is A. */
static struct space *make_space(void)
{
	static struct value values[COUNT];
	struct space_param param = {"A", COUNT, values, {0}};
	struct space *space = NULL;

	for (int i = 0; i < COUNT; i++)
		values[i] = value_int(i);
	param.default_value = values[0];
	tap_int(space_new(&(struct space_spec){&param, 1, NULL, 0, {0}}, &space, &e), ASC_OK,
		"a space of %d", COUNT);
	return space;
}

static struct strategy_known known(int a, double score, const char *source)
{
	return (struct strategy_known){{.n = 1, .values = {value_int(a)}}, score, source};
}

static void check_list(const struct known_best *b, size_t n, const uint64_t *expected,
		       const char *what)
{
	tap_int(b->n, n, "%s: %zu configurations", what, n);
	for (size_t i = 0; i < n && i < b->n; i++)
		tap_int(b->list[i], expected[i], "%s: number %zu", what, i);
}

static void test_order(const struct space *space)
{
	char again[] = "x"; /* the same source at another address */
	const struct strategy_known list[] = {
		known(1, 30, "x"),    known(2, 10, "x"),       known(3, 20, "x"),
		known(9, 5, "y"),     known(2, 6, "y"),        known(3, 1, again),
		known(4, 15, again),  known(5, 0, "x"),        known(6, -1, "x"),
		known(7, NAN, "x"),   known(8, INFINITY, "x"), known(COUNT, 0.5, "x"),
		known(11, 1e9, NULL),
	};
	const size_t n = sizeof list / sizeof *list;
	struct known_best b;

	tap_int(known_best_init(&b, space, list, n, SIZE_MAX, &e), ASC_OK, "three sources");
	check_list(&b, 6, (uint64_t[]){2, 9, 11, 4, 3, 1},
		   "the best of each source, then the second; the first result of a configuration");
	known_best_fini(&b);
	tap_int(known_best_init(&b, space, list, n, 2, &e), ASC_OK, "at most two");
	check_list(&b, 2, (uint64_t[]){2, 9}, "the first two");
	known_best_fini(&b);
	tap_int(known_best_init(&b, space, list + 7, 5, SIZE_MAX, &e), ASC_OK,
		"no result that counts");
	check_list(&b, 0, NULL, "nothing");
	known_best_fini(&b);
	tap_int(known_best_init(&b, space, NULL, 0, SIZE_MAX, &e), ASC_OK, "no history");
	check_list(&b, 0, NULL, "no history");
	known_best_fini(&b);
}

/* A neighbour of the best comes behind others; A and B are 0 to 3. */
static void test_apart(void)
{
	static struct value values[4];
	struct space_param params[2];
	struct space *space = NULL;
	struct strategy_known list[4];
	const int configs[4][2] = {{1, 1}, {1, 2}, {3, 3}, {2, 1}};
	struct known_best b;

	for (int i = 0; i < 4; i++)
		values[i] = value_int(i);
	for (int i = 0; i < 2; i++)
		params[i] = (struct space_param){i ? "B" : "A", 4, values, values[0]};
	for (int i = 0; i < 4; i++)
		list[i] = (struct strategy_known){
			{.n = 2, .values = {value_int(configs[i][0]), value_int(configs[i][1])}},
			i + 1,
			"x"};
	tap_int(space_new(&(struct space_spec){params, 2, NULL, 0, {0}}, &space, &e), ASC_OK,
		"a space of 16");
	tap_int(known_best_init(&b, space, list, 4, 3, &e), ASC_OK, "three of four");
	check_list(&b, 3, (uint64_t[]){5, 15, 6}, "neighbours of the best come behind");
	known_best_fini(&b);
	space_free(space);
}

static double score_of(uint64_t a, bool rising)
{
	return rising ? 1 + (double)a : COUNT - (double)a;
}

/* Asks all of the space, one at a time; 20 is the default. */
static size_t ask_all(const struct strategy_ops *ops, const struct strategy_options *o, bool rising,
		      uint64_t *asked)
{
	struct strategy *s = NULL;
	size_t n = 0, one = 1;

	if (strategy_new(ops, o, &s, &e) || strategy_skip(s, 20, &e) ||
	    strategy_tell(s, 20, &(struct result){0}, score_of(20, rising), &e))
		return 0;
	while (n < COUNT && !strategy_ask(s, &asked[n], &one, &e) && one == 1 &&
	       !strategy_tell(s, asked[n], &(struct result){0}, score_of(asked[n], rising), &e))
		n++;
	strategy_free(s);
	return n;
}

static void test_questions(const struct space *space)
{
	const struct strategy_known list[] = {known(7, 3, "x"), known(20, 1, "x"), known(5, 2, "x"),
					      known(6, 4, "x"), known(3, 9, "x")};
	struct strategy_options o = {
		.space = space, .history = list, .n_history = 5, .history_first = 3};
	uint64_t asked[COUNT];

	for (size_t i = 0; strategy_list[i]; i++) {
		const char *name = strategy_list[i]->name;

		tap_int(ask_all(strategy_list[i], &o, true, asked), COUNT - 1, "%s asks all", name);
		tap_ok(asked[0] == 5 && asked[1] == 7,
		       "%s: first the best of the history that were not asked", name);
		tap_int(ask_all(strategy_list[i], &o, false, asked), COUNT - 1, "%s asks all",
			name);
		if (strategy_list[i] == &strategy_exhaustive)
			tap_ok(asked[0] == 5 && asked[1] == 7 && asked[2] == 6 && asked[3] == 3 &&
				       asked[4] == 0,
			       "exhaustive: all of the history, then the others in order");
		else
			tap_ok(asked[0] == 5 && asked[1] != 7,
			       "%s: the first is slower than the default, the second is not asked",
			       name);
	}
	o.history_first = 0;
	tap_int(ask_all(&strategy_climb, &o, true, asked), COUNT - 1, "none are to be asked first");
	const uint64_t first = asked[0];

	o.n_history = 0;
	tap_int(ask_all(&strategy_climb, &o, true, asked), COUNT - 1, "and without a history");
	tap_int(asked[0], first, "the same is asked");
}

/* Asks all of the space, one at a time; the first result, the best, comes after 12 others, so that
 * the second question of the history comes when the model has chosen candidates. */
static size_t ask_with_late_first(const struct strategy_options *o, int times[COUNT])
{
	struct strategy *s = NULL;
	uint64_t first = 0, index = 0;
	size_t n = 0, one = 1;
	bool ok = strategy_new(&strategy_model, o, &s, &e) == ASC_OK &&
		  strategy_ask(s, &first, &one, &e) == ASC_OK && one == 1;

	for (times[first]++; ok && n < COUNT; n++) {
		if (n == 12)
			ok = strategy_tell(s, first, &(struct result){0}, 1, &e) == ASC_OK;
		if (!ok || strategy_ask(s, &index, &one, &e) || one == 0)
			break;
		times[index]++;
		ok = strategy_tell(s, index, &(struct result){0}, 2 + (double)index, &e) == ASC_OK;
	}
	strategy_free(s);
	return n + 1;
}

static void test_late_question(const struct space *space)
{
	const struct strategy_known list[] = {known(31, 1, "x"), known(17, 2, "x"),
					      known(16, 3, "x")};
	struct strategy_options o = {
		.space = space, .history = list, .n_history = 3, .history_first = 3};
	int wrong = 0;

	for (o.seed = 1; o.seed <= 20; o.seed++) {
		int times[COUNT] = {0};

		wrong += ask_with_late_first(&o, times) != COUNT;
		for (int i = 0; i < COUNT; i++)
			wrong += times[i] != 1;
	}
	tap_int(wrong, 0, "model: what the history asks late is asked once");
}

int main(void)
{
	struct space *space = make_space();

	test_order(space);
	test_apart();
	test_questions(space);
	test_late_question(space);
	space_free(space);
	return tap_done();
}
