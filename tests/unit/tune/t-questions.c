/* The same seed and the same results told: the same questions, over the whole loop with its finals.
 * The evaluator gives results that are written down (unit/loop/written); nothing is run.
 * covers: loop.c model.c */
#include "tuner/tune/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tests/unit/tune/written.h"
#include "tuner/base/buf.h"

static struct asc_err e;

/* Appends the questions of one run, with a database of its own, to `out`. */
static void ask(const struct written_search *a, struct buf *out)
{
	static int runs;
	char name[32];
	uint64_t trials = 0;

	snprintf(name, sizeof name, "asked-%d.db", ++runs);
	if (!tap_int(written_run(a, rows_path(name), out, &trials, &e), ASC_OK,
		     "%s, seed %d: a run", a->strategy, (int)a->seed))
		tap_note("%s", e.text);
	tap_int(trials, a->trials, "all trials of the budget are made");
	tap_ok(strstr(buf_str(out), "rounds seed"), "its finals are held");
}

static bool asks_same(const struct written_search *a, const struct written_search *b)
{
	struct buf first = {0}, second = {0};

	ask(a, &first);
	ask(b, &second);
	const bool same = strcmp(buf_str(&first), buf_str(&second)) == 0;

	buf_fini(&first);
	buf_fini(&second);
	return same;
}

/* An evaluator may choose the order where all will be asked for, and only there. */
static void test_whole(void)
{
	static const struct {
		struct written_search search;
		bool whole;
	} cases[] = {{{"exhaustive", 1, WRITTEN_CONFIGS, 7, 0}, true},
		     {{"exhaustive", 1, WRITTEN_CONFIGS - 1, 7, 0}, false},
		     {{"random", 1, WRITTEN_CONFIGS, 7, 0}, false}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf out = {0};

		ask(&cases[i].search, &out);
		buf_fini(&out);
		tap_int(written_was_whole(), cases[i].whole,
			"%s, %d trials: whether the evaluator may choose the order",
			cases[i].search.strategy, (int)cases[i].search.trials);
	}
}

int main(void)
{
	static const struct written_search random = {"random", 1, 40, 7, 0},
					   reseeded = {"random", 2, 40, 7, 0},
					   retold = {"random", 1, 40, 5, 0},
					   exhaustive = {"exhaustive", 1, WRITTEN_CONFIGS, 7, 0},
					   ordered = {"exhaustive", 2, WRITTEN_CONFIGS, 7, 0};

	rows_enter();
	atexit(rows_leave);
	if (tap_int(written_open(&e), ASC_OK, "a workload")) {
		tap_ok(asks_same(&random, &random), "random: the same seed and results, the same "
						    "questions");
		tap_ok(!asks_same(&random, &reseeded), "random: another seed, other questions");
		tap_ok(!asks_same(&random, &retold), "random: other results, other finals");
		tap_ok(asks_same(&exhaustive, &exhaustive),
		       "exhaustive: the same seed and results, the same questions");
		tap_ok(!asks_same(&exhaustive, &ordered),
		       "exhaustive: another seed, another order of the finals' rounds");
		test_whole();
	}
	written_close();
	return tap_done();
}
