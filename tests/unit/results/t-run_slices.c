/* Best times by the values of a parameter. Times are ours, so what is expected is arithmetic.
 * covers: run_slices.c run_table.c query_run.c */
#include "reports/results/run_slices.h"

#include <math.h>

#include "db/run_view.h"
#include "reports/results/run_finals.h"
#include "reports/results/run_table.h"
#include "reports/results/today.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"

static struct asc_err e;

static enum asc_status take(void *user, const struct db_run_view *r, struct asc_err *err)
{
	(void)err;
	*(struct db_run_range *)user = r->range;
	return ASC_OK;
}

static struct run_table read_table(struct db *d)
{
	struct db_run_range range = {0};
	struct run_table t = {0};

	if (today_each_newest_run(d, take, &range, &e) || run_table_read(d, &range, 100, &t, &e))
		tap_ok(false, "%s", e.text);
	return t;
}

static void test_slices(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("slices.db"), &run);
	struct run_slices s;

	rows_add_trial(d, run, "{\"A\":1,\"B\":1,\"C\":7}", RESULT_OK, 1000);
	rows_add_trial(d, run, "{\"A\":1,\"B\":2,\"C\":7}", RESULT_OK, 1300);
	rows_add_trial(d, run, "{\"A\":2,\"B\":1,\"C\":7}", RESULT_OK, 1100);
	rows_add_trial(d, run, "{\"A\":2,\"B\":2,\"C\":7}", RESULT_OK, 2000);
	rows_add_trial(d, run, "{\"A\":3,\"B\":1,\"C\":7}", RESULT_CRASHED, 0);
	struct run_table t = read_table(d);

	tap_int(run_slices_find(&t, NULL, 0, &s, &e), ASC_OK, "slices");
	tap_int(s.n, 2, "parameters with several values");
	tap_int(s.list[0].parameter, 1, "another value of B costs most");
	tap_real(s.list[0].cost_pct, 30, 1e-9, "B=2 takes 1300 ns at best, 30 %% more");
	tap_real(s.list[1].cost_pct, 10, 1e-9, "A=2 takes 1100 ns at best, 10 %% more");
	tap_real(s.list[1].best_ns[0], 1000, 1e-9, "the best with A=1");
	tap_ok(isnan(s.list[1].best_ns[2]) && s.list[1].tried[2] == 1 && s.list[1].timed[2] == 0,
	       "A=3 was tried in vain");
	tap_ok(s.list[0].timed[0] == 2 && s.list[0].timed[1] == 2, "two configurations each");
	tap_ok(s.list[0].verdict == SLICE_TOO_FEW && s.list[1].verdict == SLICE_TOO_FEW,
	       "of four nothing can be told: two of them lead one time in six");
	run_slices_fini(&s);
	/* The one that was slow beside other load is the fastest of the finals. */
	struct db_run_final final = {.implementation = t.implementations[0].name,
				     .config_key = t.trials[3].config_key,
				     .median_ns = 900};
	const struct run_finals finals = {.list = &final, .n = 1};

	tap_int(run_slices_find(&t, &finals, 0, &s, &e), ASC_OK, "slices with finals");
	tap_int(s.list[0].parameter, 0, "A before B, as in the file: 1000 to 900 ns each");
	tap_real(s.list[0].fastest_ns, 900, 1e-9, "A=2,B=2 by its time in the finals");
	tap_real(s.list[0].cost_pct, 100.0 / 9, 1e-9, "another value takes 1000 ns");
	run_slices_fini(&s);
	run_table_fini(&t);
	db_close(d);
}

static void add_values(struct db *d, int64_t run, int a, int b, double ns)
{
	char config[40];

	snprintf(config, sizeof config, "{\"A\":%d,\"B\":%d}", a, b);
	rows_add_trial(d, run, config, RESULT_OK, ns);
}

static const struct run_slice *slice_of(const struct run_slices *s, size_t parameter)
{
	size_t i = 0;

	while (s->list[i].parameter != parameter)
		i++;
	return &s->list[i];
}

static int verdict_on(const struct run_slices *s, size_t parameter)
{
	return (int)slice_of(s, parameter)->verdict;
}

/* A=1 is 50 % faster than A=2 for each of four values of B, which is noise: four of eight lead by
 * chance one time in 70. */
static void test_tells(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("tells.db"), &run);
	struct run_slices s;

	for (int b = 1; b <= 4; b++) {
		add_values(d, run, 1, b, 1000 + b);
		add_values(d, run, 2, b, 1500 + b);
	}
	struct run_table t = read_table(d);

	tap_int(run_slices_find(&t, NULL, 0, &s, &e), ASC_OK, "eight configurations");
	tap_int(verdict_on(&s, 0), SLICE_TELLS, "four that lead: A matters");
	tap_int(s.list[0].parameter, 0, "and comes first");
	tap_real(s.list[0].cost_pct, 100 * (1501.0 / 1001 - 1), 1e-9, "what A=2 costs");
	tap_int(verdict_on(&s, 1), SLICE_UNDECIDED, "B leads with one of two: one time in four");
	run_slices_fini(&s);
	run_table_fini(&t);
	db_close(d);
}

/* Both parameters changed at once: in all, or in those that decide. */
static void test_together(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("together.db"), &run);
	struct run_slices s;

	for (int i = 0; i < 4; i++) {
		rows_add_trial(d, run,
			       (const char *[]){
				       "{\"A\":1,\"B\":1,\"C\":1}", "{\"A\":1,\"B\":1,\"C\":2}",
				       "{\"A\":1,\"B\":1,\"C\":3}", "{\"A\":1,\"B\":1,\"C\":4}"}[i],
			       RESULT_OK, 1000 + i);
		rows_add_trial(d, run,
			       (const char *[]){
				       "{\"A\":2,\"B\":2,\"C\":1}", "{\"A\":2,\"B\":2,\"C\":2}",
				       "{\"A\":2,\"B\":2,\"C\":3}", "{\"A\":2,\"B\":2,\"C\":4}"}[i],
			       RESULT_OK, 1500 + i);
	}
	struct run_table t = read_table(d);

	tap_int(run_slices_find(&t, NULL, 0, &s, &e), ASC_OK, "parameters that changed together");
	tap_int(verdict_on(&s, 0), SLICE_TOGETHER, "A is not blamed");
	tap_int(verdict_on(&s, 1), SLICE_TOGETHER, "nor is B");
	tap_int(verdict_on(&s, 2), SLICE_UNDECIDED, "C has its own next best");
	run_slices_fini(&s);
	run_table_fini(&t);
	db_close(d);
}

/* Ten trials, most of them dropped early, of which the fastest happened to have A=1. */
static void test_dropped(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("dropped.db"), &run);
	struct run_slices s;

	add_values(d, run, 1, 1, 1000);
	add_values(d, run, 2, 1, 1950);
	for (int i = 0; i < 8; i++) {
		char config[40];

		snprintf(config, sizeof config, "{\"A\":%d,\"B\":%d}", 1 + i % 2, 2 + i / 2);
		rows_add_trial(d, run, config, RESULT_SLOW, 3000 + 10 * i);
	}
	struct run_table t = read_table(d);

	tap_int(run_slices_find(&t, NULL, 0, &s, &e), ASC_OK, "two of ten measured to the end");
	tap_int(slice_of(&s, 0)->timed[0] + slice_of(&s, 0)->timed[1], 10,
		"those dropped have times, too");
	tap_int(verdict_on(&s, 0), SLICE_UNDECIDED, "one that leads, of five: one time in two");
	run_slices_fini(&s);
	run_table_fini(&t);
	db_close(d);
}

static void test_none(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("none.db"), &run);
	struct run_slices s;

	rows_add_trial(d, run, "{\"A\":1}", RESULT_CRASHED, 0);
	rows_add_trial(d, run, "{\"A\":2}", RESULT_CRASHED, 0);
	struct run_table t = read_table(d);

	tap_int(run_slices_find(&t, NULL, 0, &s, &e), ASC_OK, "of what failed");
	tap_int(s.n, 0, "there are none");
	run_slices_fini(&s);
	run_table_fini(&t);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_slices();
	test_tells();
	test_together();
	test_dropped();
	test_none();
	rows_leave();
	return tap_done();
}
