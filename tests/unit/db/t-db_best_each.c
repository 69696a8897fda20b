/* The best of each implementation, beside the best of all.
 * covers: best.c answers.c */
#include <stdio.h>
#include <string.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"

enum { N_IMPLEMENTATIONS = 3 };

static const struct db_implementation implementations[N_IMPLEMENTATIONS] = {
	{.name = "a", .index = 0, .key = "ka"},
	{.name = "b", .index = 1, .key = "kb"},
	{.name = "c", .index = -1, .key = "kc"}};

static struct asc_err e;

static int64_t begin(struct db *d, const char *problem, size_t n)
{
	struct db_problem p = rows_problem;
	struct db_run r = rows_run;
	int64_t id = 0;

	p.problem = problem;
	r.implementations = implementations;
	r.n_implementations = n;
	if (db_begin_run(d, &rows_device, &p, &r, &id, &e))
		tap_note("%s", e.text);
	return id;
}

static void add(struct db *d, int64_t run, size_t i, const char *key, enum result_status status,
		double median)
{
	struct result r = rows_result(median - 1, median, median + 1);
	struct db_trial t = rows_trial(key, &r);

	r.status = status;
	t.implementation = implementations[i];
	t.is_default = strcmp(key, "B=0") == 0;
	if (db_add_trial(d, run, &t, &e))
		tap_note("%s", e.text);
}

static void add_final(struct db *d, int64_t run, size_t i, const char *key, double median,
		      bool winner)
{
	const int64_t samples[] = {(int64_t)median};
	const struct db_final f = {.implementation = implementations[i],
				   .config_key = key,
				   .standing = winner ? STANDING_TIED : STANDING_SLOWER,
				   .winner = winner,
				   .ratio = 1,
				   .interval = {true, 0.99, 1.01},
				   .time = {.n = 1,
					    .min = median,
					    .q1 = median,
					    .median = median,
					    .q3 = median,
					    .max = median},
				   .samples = samples,
				   .n_samples = 1};

	if (db_add_final(d, run, &f, &e))
		tap_note("%s", e.text);
}

static enum asc_status print_row(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)err;
	buf_print(user, "%s%s %s %g/%g %d/%d %s", ((struct buf *)user)->len ? "; " : "",
		  b->implementation, b->config_key, b->median_ns, b->default_ns, (int)b->ok_trials,
		  (int)b->trials, b->sure);
	return ASC_OK;
}

static void check(struct db *d, const char *expected, const char *name)
{
	struct buf text = {0};

	tap_int(best_each_of_implementations(d, NULL, print_row, &text, &e), ASC_OK, "asked");
	tap_str(buf_str(&text), expected, "%s", name);
	buf_fini(&text);
}

static void test_without_finals(void)
{
	struct db *d;

	db_open(rows_path("search.db"), DB_WRITE, &d, &e);
	const int64_t run = begin(d, "tiny", 3);

	check(d, "", "no results, no rows");
	add(d, run, 0, "B=0", RESULT_OK, 300);
	add(d, run, 0, "B=1", RESULT_OK, 100);
	add(d, run, 1, "B=1", RESULT_OK, 200);
	add(d, run, 1, "B=2", RESULT_WRONG, 20);
	add(d, run, 2, "B=1", RESULT_BUILD_FAILED, 0);
	check(d, "a B=1 100/300 2/2 clear winner; b B=1 200/0 1/2 ",
	      "each has its own best, default and counts; one that never passed has none, and "
	      "one that passed alone is not compared");
	add(d, begin(d, "tiny", 3), 0, "B=1", RESULT_WRONG, 100);
	check(d, "a B=0 300/300 1/2 ; b B=1 200/0 1/2 ",
	      "a configuration that failed since is no best");
	add(d, begin(d, "tiny", 3), 1, "B=1", RESULT_CRASHED, 0);
	check(d, "a B=0 300/300 1/2 ", "nor is the last one");
	db_close(d);
}

/* The search shows that configurations are slower that it drops: they need no finals for that. */
static void test_dropped(void)
{
	struct db *d;

	db_open(rows_path("dropped.db"), DB_WRITE, &d, &e);
	const int64_t run = begin(d, "tiny", 3);

	add(d, run, 0, "B=1", RESULT_OK, 100);
	add(d, run, 0, "B=2", RESULT_SLOW, 300);
	check(d, "a B=1 100/0 1/2 clear winner", "one that passed, beside one that was dropped");
	db_close(d);
}

static void test_finals(void)
{
	const struct sureness sure = {.sure = SURE_CLEAR, .ties = 1};
	struct db *d;

	db_open(rows_path("finals.db"), DB_WRITE, &d, &e);
	const int64_t run = begin(d, "tiny", 3);

	add(d, run, 0, "B=1", RESULT_OK, 100);
	add(d, run, 1, "B=0", RESULT_OK, 180);
	add(d, run, 1, "B=1", RESULT_OK, 90);
	add(d, run, 2, "B=1", RESULT_OK, 400);
	add_final(d, run, 0, "B=1", 110, true);
	add_final(d, run, 1, "B=1", 130, false);
	add_final(d, run, 1, "B=0", 170, false);
	db_set_sure(d, run, &sure, false, &e);
	check(d, "a B=1 110/0 1/1 clear winner; b B=1 130/170 2/2 ; c B=1 400/0 1/1 ",
	      "times and default are of the finals where it took part in any");
	const int64_t later = begin(d, "tiny", 1);

	add(d, later, 0, "B=2", RESULT_OK, 80);
	add_final(d, later, 0, "B=2", 85, true);
	db_set_sure(d, later, &sure, false, &e);
	check(d, "a B=2 85/0 2/2 clear winner; b B=1 130/170 2/2 ; c B=1 400/0 1/1 ",
	      "later finals of one leave the others theirs");
	db_close(d);
}

/* ---- whatever was recorded ---- */

struct keys {
	struct buf text;
};

static enum asc_status add_key(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)err;
	buf_print(user, "|%s %s %s %lld|", b->problem, b->implementation, b->config_key,
		  (long long)b->trial_id);
	return ASC_OK;
}

static enum asc_status find_key(void *user, const struct best_row *b, struct asc_err *err)
{
	struct buf key = {0};

	add_key(&key, b, err);
	const bool found = strstr(buf_str(user), buf_str(&key)) != NULL;

	buf_fini(&key);
	return found ? ASC_OK
		     : asc_err_set(err, ASC_INTERNAL, "%s %s %s is not there", b->problem,
				   b->implementation, b->config_key);
}

static void record_anything(struct db *d, struct rng *r)
{
	static const enum result_status statuses[] = {RESULT_OK, RESULT_OK, RESULT_OK, RESULT_SLOW,
						      RESULT_WRONG};
	const struct sureness sure = {.sure = rng_below(r, 2) ? SURE_CLEAR : SURE_UNDECIDED};
	const int64_t run =
		begin(d, rng_below(r, 2) ? "tiny" : "large", 1 + rng_below(r, N_IMPLEMENTATIONS));
	char key[16];

	for (size_t n = rng_below(r, 8), first = rng_below(r, 12); n > 0; n--) {
		const size_t i = (first + n) % N_IMPLEMENTATIONS;

		snprintf(key, sizeof key, "B=%zu", (first + n) % 4);
		add(d, run, i, key, statuses[rng_below(r, 5)], 100 + (double)rng_below(r, 50));
		if (rng_below(r, 2))
			add_final(d, run, i, key, 100 + (double)rng_below(r, 50), n == 1);
	}
	if (rng_below(r, 3))
		db_set_sure(d, run, &sure, rng_below(r, 2), &e);
}

static void test_anything(void)
{
	struct rng r;
	struct db *d;
	int missing = 0, bests = 0;

	rng_init(&r, 5);
	db_open(rows_path("anything.db"), DB_WRITE, &d, &e);
	for (int n = 0; n < 150; n++) {
		struct buf keys = {0};

		record_anything(d, &r);
		best_each_of_implementations(d, NULL, add_key, &keys, &e);
		bests += keys.len > 0;
		if (best_each(d, NULL, find_key, &keys, &e)) {
			tap_note("after %d runs: %s", n + 1, e.text);
			missing++;
		}
		buf_fini(&keys);
	}
	tap_ok(bests > 100, "there are bests");
	tap_int(missing, 0, "the best of all is the best of its implementation");
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_without_finals();
	test_dropped();
	test_finals();
	test_anything();
	rows_leave();
	return tap_done();
}
