/* The implementation that a workload compares with: measured in the same run, ever, or wrong since.
 * covers: best.c answers.c */
#include <string.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "tests/tap.h"
#include "tests/unit/db/bests.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"

static struct asc_err e;

/* Under the name of an implementation that workloads compare with. */
static void add_baseline(struct db *d, int64_t run, const char *key, double median)
{
	struct result r = rows_result(median - 10, median, median + 10);
	struct db_trial t = rows_trial(key, &r);

	t.implementation.name = "vendor";
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "vendor %s: %g ns", key, median);
}

static void add_wrong_baseline(struct db *d, int64_t run, const char *key)
{
	struct result r = rows_result(1, 2, 3);
	struct db_trial t = rows_trial(key, &r);

	r.status = RESULT_WRONG;
	t.implementation.name = "vendor";
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "vendor %s: wrong", key);
}

static int64_t begin_compared(struct db *d, const char *cache_policy)
{
	const struct db_implementation both[] = {rows_implementation,
						 {.name = "vendor", .index = 2, .key = "k1"}};
	struct db_run r = rows_run;
	int64_t id = 0;

	r.implementations = both;
	r.n_implementations = 2;
	r.baseline = "vendor";
	r.cache_policy = cache_policy;
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &r, &id, &e), ASC_OK, "a run");
	return id;
}

static void test_baseline(void)
{
	int64_t plain;
	double median = 0;
	bool found = true;
	struct buf config = {0};
	struct db *d = rows_open(rows_path("baseline.db"), &plain);
	int64_t first = begin_compared(d, rows_run.cache_policy);
	int64_t second = begin_compared(d, rows_run.cache_policy);

	bests_add(d, first, "B=1", RESULT_OK, 200);
	struct bests s = bests_ask(d, NULL);
	tap_ok(s.rows[0].baselines.list[0].ns == 0 && s.rows[0].baselines.list[0].ratio == 0,
	       "not measured yet");
	tap_int(best_find_fastest(d, first, "vendor", &config, &median, &found, &e), ASC_OK,
		"none for a vendor");
	tap_ok(!found && config.len == 0, "is there one to find");
	add_baseline(d, begin_compared(d, "cold"), "V=0", 350);
	add_baseline(d, second, "V=1", 300);
	s = bests_ask(d, NULL);
	tap_ok(s.n == 2 && s.rows[1].baselines.list[0].ns == 0, "not in another run");
	add_baseline(d, first, "V=2", 500);
	add_baseline(d, first, "V=3", 400);
	s = bests_ask(d, NULL);
	tap_ok(s.rows[1].baselines.list[0].ratio == 2, "the best of the same run");
	tap_int(best_find_fastest(d, first, "vendor", &config, &median, &found, &e), ASC_OK,
		"ever");
	tap_ok(found && median == 300 && strcmp(buf_str(&config), "V=1") == 0, "the fastest");
	rows_ask(rows_path("baseline.db"), "UPDATE trial SET recorded_ms = recorded_ms - 1000");
	add_wrong_baseline(d, second, "V=1");
	buf_clear(&config);
	tap_int(best_find_fastest(d, first, "vendor", &config, &median, &found, &e), ASC_OK,
		"later");
	tap_ok(found && strcmp(buf_str(&config), "V=3") == 0, "not one that was wrong since");
	add_wrong_baseline(d, second, "V=3");
	tap_ok(bests_ask(d, NULL).rows[1].baselines.list[0].ns == 500,
	       "nor is the best compared with that");
	bests_add(d, plain, "B=2", RESULT_OK, 150);
	tap_ok(bests_ask(d, NULL).rows[1].baselines.list[0].ratio == 0,
	       "a run that compares with nothing");

	static const struct db_implementation updated = {.name = "vendor", .index = 2, .key = "k2"};
	struct db_run r = rows_run;
	r.implementations = &updated;
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &r, &plain, &e), ASC_OK, "an update");
	tap_int(best_find_fastest(d, first, "vendor", &config, &median, &found, &e), ASC_OK,
		"of it");
	tap_ok(!found, "what an earlier version of the library did is history");
	buf_fini(&config);
	db_close(d);
}

/* Two baselines of one run, in the order of its names; one that was not measured has no time. */
static void test_several(void)
{
	const struct db_implementation all[] = {rows_implementation,
						{.name = "vendor", .index = 2, .key = "k1"}};
	int64_t plain, id = 0;
	struct db *d = rows_open(rows_path("several.db"), &plain);
	struct db_run r = rows_run;

	r.implementations = all;
	r.n_implementations = 2;
	r.baseline = "other,vendor";
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &r, &id, &e), ASC_OK, "a run");
	bests_add(d, id, "B=1", RESULT_OK, 200);
	add_baseline(d, id, "V=1", 300);
	const struct bests s = bests_ask(d, NULL);
	const struct baselines *b = &s.rows[s.n - 1].baselines;

	tap_int((long long)b->n, 2, "two baselines");
	tap_ok(b->list[0].ns == 0 && b->list[0].ratio == 0, "the first was not measured");
	tap_ok(b->list[1].ns == 300 && b->list[1].ratio == 1.5, "the second was");
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_baseline();
	test_several();
	rows_leave();
	return tap_done();
}
