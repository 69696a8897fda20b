/* Earlier results of a kernel: which sources there are, and which of their results count.
 * covers: query_earlier.c */
#include "db/earlier.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"

static struct asc_err e;

/* Begins a run of an implementation with that name and key. */
static int64_t begin(struct db *d, const char *workload, const char *operator_name,
		     const char *problem, const char *model, const char *implementation,
		     const char *key, const char *uid)
{
	const struct db_device device = {.kind = "cpu", .model = model, .fingerprint = model};
	const struct db_problem p = {.workload = workload,
				     .operator_name = operator_name,
				     .problem = problem,
				     .problem_key = problem,
				     .dims_json = "{\"dims\":{\"S\":16}}"};
	const struct db_implementation i = {.name = implementation, .key = key};
	const struct db_run run = {.strategy = "random",
				   .cache_policy = "hot",
				   .simulated = uid != NULL,
				   .imported = uid != NULL,
				   .uid = uid,
				   .implementations = &i,
				   .n_implementations = 1};
	int64_t id = 0;

	if (db_begin_run(d, &device, &p, &run, &id, &e))
		tap_ok(false, "%s", e.text);
	return id;
}

static void add(struct db *d, int64_t run, const char *implementation, const char *key,
		const char *config, enum result_status status, double median_ns)
{
	struct result r = rows_result(median_ns, median_ns, median_ns);
	struct db_trial t = rows_trial(config, &r);

	r.status = status;
	t.implementation = (struct db_implementation){.name = implementation, .key = key};
	t.config_json = config;
	if (db_add_trial(d, run, &t, &e))
		tap_ok(false, "%s", e.text);
}

/* ---- what is found, as text ---- */

static enum asc_status print_source(void *user, const struct db_earlier_source *s,
				    struct asc_err *err)
{
	(void)err;
	buf_print(user, "%s/%s on %s %s%s, run %lld; ", s->workload, s->problem, s->device_model,
		  s->cache_policy, s->simulated ? " imported" : "", (long long)s->run_id);
	return ASC_OK;
}

static void check_sources(struct db *d, const struct db_kernel *k, const char *expected,
			  const char *what)
{
	struct buf have = {0};

	tap_int(db_each_earlier_source(d, k, print_source, &have, &e), ASC_OK, "%s", what);
	tap_str(buf_str(&have), expected, "%s", what);
	buf_fini(&have);
}

static enum asc_status print_result(void *user, const char *config_json, double median_ns,
				    struct asc_err *err)
{
	(void)err;
	buf_print(user, "%s %g; ", config_json, median_ns);
	return ASC_OK;
}

static int64_t implementation_of(int64_t run, const char *path)
{
	char sql[160];

	snprintf(sql, sizeof sql,
		 "SELECT max(implementation_id) FROM run_implementation WHERE run_id = %lld",
		 (long long)run);
	return rows_ask(path, sql);
}

static void check_results(struct db *d, const char *path, int64_t run, const char *expected,
			  const char *what)
{
	struct buf have = {0};

	tap_int(db_each_earlier_result(d, run, implementation_of(run, path), print_result, &have,
				       &e),
		ASC_OK, "%s", what);
	tap_str(buf_str(&have), expected, "%s", what);
	buf_fini(&have);
}

/* ---- tests ---- */

static void test_sources(void)
{
	const struct db_kernel kernel = {"w", "op", "k"}, other = {"none", NULL, "k"};
	struct db *d = NULL;

	if (!tap_int(db_open(rows_path("sources.db"), DB_WRITE, &d, &e), ASC_OK, "a database"))
		return;
	begin(d, "w", "op", "p", "m3", "imported", "v1", "uid");
	begin(d, "w", "op", "p", "m1", "k", "v1", NULL);
	begin(d, "w", "op", "p", "m1", "k", "v1", NULL);
	begin(d, "w", "op", "p", "m1", "k", "v2", NULL);
	begin(d, "w", "op", "q", "m2", "k", "v1", NULL);
	begin(d, "x", "op", "p", "m1", "k", "v1", NULL);
	begin(d, "y", "other", "p", "m1", "k", "v1", NULL);
	begin(d, "w", "op", "p", "m1", "not k", "v1", NULL);
	begin(d, "w", "op", "p", "m3", "imported", "v1", NULL);
	check_sources(d, &kernel,
		      "x/p on m1 hot, run 6; w/q on m2 hot, run 5; w/p on m1 hot, run 4; "
		      "w/p on m1 hot, run 3; w/p on m3 hot imported, run 1; ",
		      "a source for each content, device and problem, the newest first");
	check_sources(d, &other, "", "another workload without an operator");
	db_close(d);
}

static void test_results(void)
{
	const char *path = rows_path("results.db");
	struct db *d = NULL;

	if (!tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "a database"))
		return;
	const int64_t first = begin(d, "w", "op", "p", "m", "k", "v", NULL);

	add(d, first, "k", "v", "A=1", RESULT_OK, 50);
	add(d, first, "k", "v", "A=2", RESULT_OK, 20);
	add(d, first, "k", "v", "A=3", RESULT_SLOW, 30);
	add(d, first, "k", "v", "A=4", RESULT_OK, 1);
	add(d, first, "k", "v", "A=5", RESULT_WRONG, 2);
	add(d, first, "k", "v", "A=6", RESULT_OK, 0);
	add(d, first, "k", "v", "A=7", RESULT_OK, NAN);
	const int64_t second = begin(d, "w", "op", "p", "m", "k", "v", NULL);

	add(d, second, "k", "v", "A=1", RESULT_OK, 10);
	add(d, second, "k", "v", "A=4", RESULT_CRASHED, 1);
	const int64_t edited = begin(d, "w", "op", "p", "m", "k", "v2", NULL);

	add(d, edited, "k", "v2", "A=1", RESULT_OK, 5);
	check_results(d, path, second, "A=1 10; A=2 20; A=3 30; ",
		      "the newest result of each configuration that passed, the fastest first");
	check_results(d, path, edited, "A=1 5; ", "another content has results of its own");
	db_close(d);
}

struct counted {
	size_t n, fast;
	double before;
	bool ordered;
};

static enum asc_status count(void *user, const char *config_json, double median_ns,
			     struct asc_err *err)
{
	struct counted *c = user;

	(void)config_json, (void)err;
	if (c->n < DB_EARLIER_MOST / 4)
		c->ordered &= median_ns > c->before;
	c->before = median_ns;
	c->fast += median_ns <= DB_EARLIER_MOST;
	c->n++;
	return ASC_OK;
}

/* Configuration i takes i ns: of four times as many as are given, the fastest quarter and a third
 * of the others, wherever they lie. */
static void test_bound(void)
{
	const char *path = rows_path("bound.db");
	struct counted c = {.ordered = true};
	struct db *d = NULL;
	char key[32];

	if (!tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "a database"))
		return;
	const int64_t run = begin(d, "w", "op", "p", "m", "k", "v", NULL);

	(void)db_begin_batch(d, &e);
	for (int i = 1; i <= 4 * DB_EARLIER_MOST; i++) {
		snprintf(key, sizeof key, "A=%d", i);
		add(d, run, "k", "v", key, RESULT_OK, i);
	}
	tap_int(db_end_batch(d, ASC_OK, &e), ASC_OK, "many results");
	tap_int(db_each_earlier_result(d, run, implementation_of(run, path), count, &c, &e), ASC_OK,
		"they are asked for");
	tap_int(c.n, DB_EARLIER_MOST, "so many are given");
	tap_ok(c.ordered && c.before > DB_EARLIER_MOST / 4, "a quarter of them the fastest");
	tap_ok(c.fast > 350 && c.fast < 550,
	       "%zu of the fastest 1024: 256 and a fifth of the other 768", c.fast);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_sources();
	test_results();
	test_bound();
	rows_leave();
	return tap_done();
}
