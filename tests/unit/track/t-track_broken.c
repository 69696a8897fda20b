/* Generated nights after which nothing of a kernel passes.
 * covers: track_history.c track_known.c track_write.c */
#include "reports/track/track_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/track_groups.h"
#include "reports/track/track_known.h"
#include "reports/track/track_write.h"
#include "tests/tap.h"
#include "tests/unit/db/points.h"
#include "tuner/base/buf.h"

static struct asc_err e;

static const struct point usual;

/* One more run of a problem in which 40 configurations go one way. */
static void add_run_of_40(struct db *d, const char *problem, enum result_status status)
{
	struct db_problem p = rows_problem;
	struct db_run r = rows_run;
	int64_t run;

	p.problem = problem;
	if (db_begin_run(d, &rows_device, &p, &r, &run, &e))
		tap_ok(false, "%s", e.text);
	for (int k = 0; k < 40; k++) {
		struct result result = rows_result(1e5, 1e5, 1e5);
		char key[16];
		struct db_trial t = rows_trial(key, &result);

		snprintf(key, sizeof key, "B=%d", k + 1);
		result.status = status;
		if (status == RESULT_WRONG)
			result.reason = str_dup("out: 7 of 64 elements differ");
		if (db_add_trial(d, run, &t, &e))
			tap_ok(false, "%s", e.text);
		free(result.reason);
	}
	db_end_run(d, run, "done", &e);
}

/* A kernel of which nothing passes any more is broken, whatever its times were; it is listed first,
 * fails tests, and is acknowledged until it passes again. One that never passed is broken too. */
static void test_broken(void)
{
	const char *path = rows_path("broken.db"), *name = "cpu: Model 1 sdpa/p blocked hot";
	struct point slower = {.ns_1 = 106000};
	struct db *d = nights_open(path);
	struct buf out = {0};
	struct rng rng;

	rng_init(&rng, 15);
	for (size_t i = 0; i < 44; i++) {
		night_add(d, "p", &usual, &rng);
		night_add(d, "q", i < 40 ? &usual : &slower, &rng);
		night_add(d, "slow", &usual, &rng);
	}
	add_run_of_40(d, "p", RESULT_WRONG);
	add_run_of_40(d, "new", RESULT_WRONG);
	add_run_of_40(d, "slow", RESULT_SLOW);
	struct track_history *h = nights_track(path, d);
	const struct track_series *s = nights_find(h, "p");

	tap_str(track_verdict_name(s->verdict), "broken", "40 of 40 wrong in the newest run");
	tap_str(s->why,
		"none of 40 configurations passed: 40 wrong: out: 7 of 64 elements differ; the "
		"last "
		"that did took 100.9 us",
		"the reason says how");
	tap_int(s->n, 44, "its times stay");
	tap_str(track_verdict_name(nights_find(h, "new")->verdict), "broken",
		"one that never passed");
	tap_str(track_verdict_name(nights_find(h, "slow")->verdict), "unchanged",
		"dropped as slow is not broken");
	struct track_groups g;

	tap_int(track_groups_find(h, &g, &e), ASC_OK, "groups");
	const struct track_counts c = g.counts;

	tap_int(c.of[TRACK_BROKEN], 2, "counted once");
	tap_int(c.of[TRACK_UNCHANGED], 1, "not as unchanged");
	tap_int(c.failing, 4, "two broken, a regression and its energy fail");
	track_write_markdown(&g, &out);
	tap_has(buf_str(&out), "## asctune track: 2 broken, 1 slower, 1 unchanged", "Markdown");
	tap_has(buf_str(&out), "|---|---|--:|--:|---|\n| broken | ", "first");
	buf_clear(&out);
	track_write_junit(&g, &out);
	tap_has(buf_str(&out), "failures=\"4\"", "JUnit counts it");
	tap_has(buf_str(&out),
		"<failure type=\"broken\" message=\"no configuration passed\">broken: none of 40",
		"JUnit has a failure");
	buf_clear(&out);
	track_write_annotations(&g, &out);
	tap_has(buf_str(&out), "::error title=broken::", "an annotation");
	tap_int(track_known_acknowledge(h, d, name, "known", NULL, 3600 * 1000, &e), ASC_OK,
		"acknowledged");
	track_groups_fini(&g);
	track_history_free(h);
	add_run_of_40(d, "p", RESULT_WRONG);
	h = nights_track(path, d);
	tap_str(nights_find(h, "p")->ack.reason, "known", "for the next night, too");
	track_history_free(h);
	night_add(d, "p", &usual, &rng);
	h = nights_track(path, d);
	tap_str(track_verdict_name(nights_find(h, "p")->verdict), "unchanged",
		"the kernel passes again");
	track_history_free(h);
	add_run_of_40(d, "p", RESULT_WRONG);
	h = nights_track(path, d);
	tap_ok(!nights_find(h, "p")->ack.reason, "broken anew is not acknowledged");
	track_history_free(h);
	buf_fini(&out);
	db_close(d);
}

/* The last night that passed counts, though it is left out of the times. */
static void test_broken_after_unsteady(void)
{
	const char *path = rows_path("broken_after_unsteady.db");
	struct point unsteady = {.ns_1 = 135000, .unsteady = true};
	struct db *d = nights_open(path);
	struct rng rng;

	rng_init(&rng, 16);
	for (size_t i = 0; i < 9; i++)
		night_add(d, "p", i < 8 ? &usual : &unsteady, &rng);
	add_run_of_40(d, "p", RESULT_WRONG);
	struct track_history *h = nights_track(path, d);

	tap_int(nights_find(h, "p")->left_out, 1, "a night that was not steady is left out");
	tap_has(nights_find(h, "p")->why, "the last that did took 13", "and was the last to pass");
	track_history_free(h);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_broken();
	test_broken_after_unsteady();
	rows_leave();
	return tap_done();
}
