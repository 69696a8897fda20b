/* What the database and reports/results say of single runs. Times are ours, so what is expected is
 * arithmetic.
 * covers: run_table.c run_finals.c run_effects.c run_compare.c query_run.c
 * query_overview.c query_watch.c today.c outdated.c */
#include "db/run_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "db/overview.h"
#include "reports/results/run_compare.h"
#include "reports/results/run_effects.h"
#include "reports/results/run_finals.h"
#include "reports/results/run_table.h"
#include "reports/results/today.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/result/profile.h"

static struct asc_err e;

static int64_t begin(struct db *d, const char *problem, bool simulated)
{
	struct db_problem p = rows_problem;
	struct db_run r = rows_run;
	int64_t id = 0;

	p.problem = problem;
	r.simulated = r.imported = simulated;
	tap_int(db_begin_run(d, &rows_device, &p, &r, &id, &e), ASC_OK, "run of %s", problem);
	return id;
}

/* ---- which runs ---- */

enum { MAX_SEEN = 8 };

struct seen {
	struct db_run_view list[MAX_SEEN];
	char problems[MAX_SEEN][32];
	size_t n;
};

static enum asc_status see(void *user, const struct db_run_view *r, struct asc_err *err)
{
	struct seen *s = user;

	(void)err;
	snprintf(s->problems[s->n], sizeof s->problems[0], "%s", r->problem);
	s->list[s->n++] = *r;
	return ASC_OK;
}

static void test_newest(void)
{
	int64_t first;
	struct db *d = rows_open(rows_path("newest.db"), &first);
	struct seen s = {.n = 0};

	tap_int(today_each_newest_run(d, see, &s, &e), ASC_OK, "no trials");
	tap_int(s.n, 0, "a run without results is none");
	rows_add_trial(d, first, "{\"B\":1}", RESULT_OK, 10);
	const int64_t second = begin(d, "tiny", false), other = begin(d, "big", false);
	const int64_t foreign = begin(d, "tiny", true);

	rows_add_trial(d, other, "{\"B\":1}", RESULT_OK, 30);
	rows_add_trial(d, second, "{\"B\":1}", RESULT_OK, 20);
	rows_add_trial(d, second, "{\"B\":2}", RESULT_WRONG, 0);
	rows_add_trial(d, foreign, "{\"B\":2}", RESULT_OK, 5);
	begin(d, "tiny", false);
	tap_int(today_each_newest_run(d, see, &s, &e), ASC_OK, "asked");
	tap_int(s.n, 3, "one of each problem, and the imported one");
	tap_ok(s.list[2].simulated && s.list[2].range.run_id == foreign, "which comes last");
	for (size_t i = 0; i < 2; i++) {
		const struct db_run_view *r = &s.list[i];
		const bool tiny = strcmp(s.problems[i], "tiny") == 0;

		tap_int(r->range.run_id, tiny ? second : other, "the newest with results");
		tap_int(r->before.run_id, tiny ? first : 0, "the one before");
		tap_int(r->older, tiny, "how many are older");
		tap_int(r->trials, tiny ? 2 : 1, "trials");
		tap_int(r->ok_trials, 1, "that passed");
		tap_ok(r->flops == 4096 && r->bytes == 512 && r->roof.flops == 0 &&
			       r->ended_ms == 0,
		       "work, no peaks, no end");
	}
	db_close(d);
}

/* A configuration that passed and failed later is one, and not ok. */
static void test_counted(void)
{
	int64_t run, other = 0;
	struct db *d = rows_open(rows_path("counted.db"), &run);
	struct db_run cold = rows_run;
	struct seen s = {.n = 0};

	rows_add_trial(d, run, "{\"B\":1}", RESULT_OK, 10);
	rows_add_trial(d, run, "{\"B\":2}", RESULT_OK, 20);
	rows_add_trial(d, run, "{\"B\":3}", RESULT_WRONG, 0);
	rows_add_trial(d, run, "{\"B\":4}", RESULT_OK, 30);
	rows_add_trial(d, run, "{\"B\":1}", RESULT_WRONG, 0);
	rows_add_trial(d, run, "{\"B\":1}", RESULT_CRASHED, 0);
	tap_int(today_each_newest_run(d, see, &s, &e), ASC_OK, "asked");
	tap_int(s.list[0].trials, 5, "one that failed in its own run counts once but for failures");
	tap_int(s.list[0].ok_trials, 2, "and is not ok");
	cold.cache_policy = "cold";
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &cold, &other, &e), ASC_OK, "later");
	rows_add_trial(d, other, "{\"B\":2}", RESULT_WRONG, 0);
	s.n = 0;
	tap_int(today_each_newest_run(d, see, &s, &e), ASC_OK, "asked again");
	const struct db_run_view *r = s.list[0].range.run_id == run ? &s.list[0] : &s.list[1];
	tap_int(r->trials, 5, "one that failed in another run is still one of this");
	tap_int(r->ok_trials, 1, "and is not ok either");
	db_close(d);
}

static enum asc_status count_unmeasured(void *user, const struct db_unmeasured *s,
					struct asc_err *err)
{
	(void)err;
	*(int *)user += s->broken ? 100 : 1;
	return ASC_OK;
}

static int unmeasured(struct db *d)
{
	int n = 0;

	tap_int(db_each_unmeasured(d, count_unmeasured, &n, &e), ASC_OK,
		"asked what is unmeasured");
	return n;
}

/* One configuration that was asked for is no search of its problem. */
static void test_single(void)
{
	int64_t first, single = 0;
	struct db *d = rows_open(rows_path("single.db"), &first);
	struct db_run r = rows_run;
	struct db_run_state state;
	struct seen s = {.n = 0};

	r.strategy = "config";
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &r, &single, &e), ASC_OK, "one");
	rows_add_trial(d, single, "{\"B\":1}", RESULT_CRASHED, 0);
	tap_int(db_end_run(d, single, "done", &e), ASC_OK, "that crashed");
	tap_int(db_find_run_state(d, "cpu", false, "sdpa", "tiny", &state, &e), ASC_OK, "how far");
	tap_int(state.run_id, first, "the search that is not over is what there is");
	rows_add_trial(d, first, "{\"B\":1}", RESULT_OK, 10);
	rows_add_trial(d, first, "{\"B\":2}", RESULT_OK, 20);
	tap_int(today_each_newest_run(d, see, &s, &e), ASC_OK, "asked");
	tap_ok(s.n == 1 && s.list[0].range.run_id == first, "what the report shows");
	tap_int(unmeasured(d), 0, "nothing is unmeasured");
	tap_int(db_end_run(d, first, "done", &e), ASC_OK, "end of the run");
	rows_add_trial(d, first, "{\"B\":1}", RESULT_CRASHED, 0);
	tap_int(unmeasured(d), 0, "nor is what has a configuration left");
	rows_add_trial(d, first, "{\"B\":2}", RESULT_WRONG, 0);
	tap_int(unmeasured(d), 100, "without one it is broken");
	db_close(d);
}

/* Times of searches, by which devices take problems, and who has begun one. */
static void test_time(void)
{
	int64_t first, next = 0;
	struct db *d = rows_open(rows_path("time.db"), &first);
	struct db_device other = rows_device;
	struct db_run_time t;

	tap_int(db_find_run_time(d, "cpu", rows_device.model, "sdpa", "tiny", &t, &e), ASC_OK,
		"asked of a run that goes on");
	tap_ok(t.took_ms == 0 && strcmp(t.begun_on, rows_device.fingerprint) == 0,
	       "it took nothing yet, and is begun there");
	tap_int(db_end_run(d, first, "done", &e), ASC_OK, "its end");
	tap_int(rows_ask(rows_path("time.db"), "UPDATE run SET ended_ms = started_ms + 1234"), 0,
		"after 1.234 s");
	(void)db_find_run_time(d, "cpu", rows_device.model, "sdpa", "tiny", &t, &e);
	tap_ok(t.took_ms == 1234 && !*t.begun_on, "that is known, and nothing is begun");
	other.fingerprint = "another";
	tap_int(db_begin_run(d, &other, &rows_problem, &rows_run, &next, &e), ASC_OK,
		"another device of the model");
	(void)db_find_run_time(d, "cpu", rows_device.model, "sdpa", "tiny", &t, &e);
	tap_int(t.took_ms, 1234, "the whole one counts");
	tap_str(t.begun_on, "another", "the other device has begun it");
	(void)db_find_run_time(d, "cpu", "another model", "sdpa", "tiny", &t, &e);
	tap_ok(t.took_ms == 0 && !*t.begun_on, "nothing is known of another model");
	(void)db_find_run_time(d, "cpu", rows_device.model, "sdpa", "large", &t, &e);
	tap_ok(t.took_ms == 0 && !*t.begun_on, "nor of another problem");
	db_close(d);
}

/* A device that has a machine's name since a newer version is still the same one, until there is a
 * second of its model. */
static void test_machines(void)
{
	int64_t first;
	struct db *d = rows_open(rows_path("machines.db"), &first);
	struct db_device named = rows_device;
	struct seen s = {.n = 0};
	int64_t ids[2];

	rows_add_trial(d, first, "{\"B\":1}", RESULT_OK, 10);
	for (int i = 0; i < 2; i++) {
		named.fingerprint = i ? "f3" : "f2";
		named.machine = i ? "M2" : "M1";
		tap_int(db_begin_run(d, &named, &rows_problem, &rows_run, &ids[i], &e), ASC_OK,
			"a run on %s", named.machine);
		rows_add_trial(d, ids[i], "{\"B\":1}", RESULT_OK, 20);
		s.n = 0;
		tap_int(today_each_newest_run(d, see, &s, &e), ASC_OK, "asked");
		tap_int(s.n, i ? 3 : 1, "machines that are told apart");
		tap_int(s.list[0].before.run_id, i ? 0 : first, "what was before");
	}
	db_close(d);
}

/* ---- tables ---- */

static struct run_table read_table(struct db *d, int64_t run)
{
	const struct db_run_range all = {run, 1, INT64_MAX};
	struct run_table t;

	if (tap_int(run_table_read(d, &all, SIZE_MAX, &t, &e), ASC_OK, "run %d", (int)run))
		return t;
	return (struct run_table){0};
}

static void test_table(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("table.db"), &run);
	const char hostile[] = "{\"a\\\"<b>\\n\":\"</script>\",\"B\":64}";

	rows_add_trial(d, run, "{\"B\":64,\"C\":true}", RESULT_OK, 10);
	rows_add_trial(d, run, "{\"B\":8,\"C\":false}", RESULT_CRASHED, 0);
	rows_add_trial(d, run, "{\"C\":true,\"B\":0.5}", RESULT_SLOW, 50);
	rows_add_trial(d, run, hostile, RESULT_OK, 12);
	struct run_table t = read_table(d, run);

	if (!tap_int(t.n, 4, "four trials") || !tap_int(t.n_implementations, 1, "of one"))
		return;
	const struct run_implementation *i = &t.implementations[0];

	tap_int(i->n_parameters, 3, "parameters");
	tap_str(i->parameters[2].name, "a\"<b>\n", "a hostile name is a name");
	tap_str(i->parameters[2].values[0], "</script>", "a value that is a text");
	tap_int(i->ok, 2, "two passed");
	tap_str(i->parameters[0].values[0], "0.5", "values are in the order of numbers");
	tap_str(i->parameters[0].values[1], "8", "not of texts");
	tap_str(i->parameters[0].values[2], "64", "or of trials");
	tap_int(t.trials[2].picks[0], 0, "what a trial has follows the order");
	tap_int(t.trials[0].picks[2], RUN_NO_VALUE, "what others have it has not");
	tap_int(t.trials[3].picks[1], RUN_NO_VALUE, "nor the other way round");
	tap_ok(run_table_fastest(&t) == &t.trials[0], "the fastest that passed");
	tap_ok(run_table_find(&t, "blocked", hostile) == &t.trials[3], "found by its key");
	tap_ok(!run_table_find(&t, "blocked", "B=1") && !run_table_find(&t, "x", hostile),
	       "or is undecided");
	run_table_fini(&t);
	const struct db_run_range all = {run, 1, INT64_MAX};

	tap_int(run_table_read(d, &all, 3, &t, &e), ASC_OK, "the first ones only");
	tap_int(t.n, 3, "are three");
	run_table_fini(&t);
	rows_add_trial(d, run, "{\"B\":", RESULT_OK, 10);
	tap_int(run_table_read(d, &all, 9, &t, &e), ASC_INPUT, "a damaged configuration");
	tap_has(e.text, "trial 5", "is named");
	db_close(d);
}

/* log time is 0, 1, 2, 3 for A 0,0,1,1 and B 0,1,0,1: SSt = 5, of A SSb = 4, of B 1; nothing is
 * left. */
static void test_effects(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("effects.db"), &run);
	struct run_effects f;
	double cells[4];
	size_t tried[4];

	rows_add_trial(d, run, "{\"ONE\":1,\"A\":0,\"B\":0}", RESULT_OK, 1e3);
	rows_add_trial(d, run, "{\"ONE\":1,\"A\":0,\"B\":1}", RESULT_OK, 1e3 * exp(1));
	rows_add_trial(d, run, "{\"ONE\":1,\"A\":1,\"B\":0}", RESULT_OK, 1e3 * exp(2));
	rows_add_trial(d, run, "{\"ONE\":1,\"A\":1,\"B\":1}", RESULT_WRONG, 0);
	struct run_table t = read_table(d, run);

	double *times = run_finals_take_times(NULL, &t);

	run_effects_fill_cells(&t, times, 0, 1, 2, cells, tried);
	free(times);
	tap_ok(cells[0] == 1e3 && cells[1] == 1e3 * exp(2) && cells[2] == 1e3 * exp(1),
	       "the best of each pair");
	tap_ok(isnan(cells[3]) && tried[3] == 1, "what was tried in vain");
	run_table_fini(&t);
	rows_add_trial(d, run, "{\"ONE\":1,\"A\":1,\"B\":1}", RESULT_OK, 1e3 * exp(3));
	t = read_table(d, run);
	tap_int(run_effects_find(&t, 0, &f, &e), ASC_OK, "effects");
	tap_int(f.n, 4, "of what passed");
	if (tap_int(f.n_singles, 2, "one value is no effect")) {
		tap_int(f.singles[0].parameter, 1, "the larger first");
		tap_real(f.singles[0].share, 0.8, 1e-9, "share of the parameter");
		tap_real(f.singles[1].share, 0.2, 1e-9, "the other has the rest");
	}
	tap_ok(f.n_pairs == 1 && isnan(f.pairs[0].joint),
	       "a pair for each configuration says nothing");
	run_effects_fini(&f);
	run_table_fini(&t);
	db_close(d);
}

/* ---- finals, the first ---- */

static void add_final(struct db *d, int64_t run, const char *key, double median, bool tied,
		      bool winner)
{
	const int64_t samples[] = {100, 101};
	const struct db_final f = {.implementation = rows_implementation,
				   .config_key = key,
				   .standing = tied ? STANDING_TIED : STANDING_SLOWER,
				   .winner = winner,
				   .ratio = median / 100,
				   .time = {.n = 2, .median = median},
				   .samples = samples,
				   .n_samples = 2};

	tap_int(db_add_final(d, run, &f, &e), ASC_OK, "final of %s", key);
}

static void test_top(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("top.db"), &run);
	struct run_finals f;
	struct run_place top[8];

	rows_add_trial(d, run, "{\"B\":1}", RESULT_OK, 90);
	rows_add_trial(d, run, "{\"B\":2}", RESULT_OK, 95);
	rows_add_trial(d, run, "{\"B\":3}", RESULT_OK, 85);
	rows_add_trial(d, run, "{\"B\":4}", RESULT_OK, 97);
	rows_add_trial(d, run, "{\"B\":5}", RESULT_WRONG, 0);
	add_final(d, run, "{\"B\":1}", 100, true, false);
	add_final(d, run, "{\"B\":2}", 101, true, true);
	add_final(d, run, "{\"B\":9}", 120, false, false);
	struct run_table t = read_table(d, run);

	tap_int(run_finals_read(d, run, &f, &e), ASC_OK, "finals");
	const size_t n = run_top(&t, &f, top, 8);

	if (tap_int(n, 5, "all that passed, each once")) {
		tap_str(top[0].config_key, "{\"B\":2}", "the winner");
		tap_str(top[1].config_key, "{\"B\":1}", "tie of the winner");
		tap_ok(top[2].trial == NULL && top[2].final, "a finalist of an earlier run");
		tap_str(top[3].config_key, "{\"B\":3}", "then by time");
		tap_real(top[0].ns, 101, 0, "with the time of the finals");
		tap_real(top[4].ns, 97, 0, "time of the search");
	}
	tap_int(run_top(&t, &f, top, 2), 2, "no more than asked for");
	run_finals_fini(&f);
	run_table_fini(&t);
	db_close(d);
}

/* Classes of equal bits count from the first finalist's on; one whose bits are not known is in
 * none. */
static void test_bits(void)
{
	static const int classes[] = {0, 1, -1, 0, 2, 1};
	struct db_run_final list[] = {
		{.winner = true, .bits = {.digest = "a", .compared = 812, .sets = 3, .places = 9}},
		{.bits = {.digest = "b"}},
		{.bits = {.digest = ""}},
		{.bits = {.digest = "a"}},
		{.bits = {.digest = "c"}},
		{.bits = {.digest = "b"}}};
	struct run_finals f = {.list = list, .n = sizeof list / sizeof *list};
	struct buf text = {0};

	for (size_t i = 0; i < f.n; i++)
		tap_int(run_finals_class(&f, &list[i]), classes[i], "class of finalist %zu", i);
	run_finals_print_bits(&f, &text);
	tap_str(buf_str(&text),
		"the same in 812 launches, on 3 sets of inputs, at 9 places; 3 classes "
		"among 5 finalists",
		"in words");
	buf_clear(&text);
	list[0].bits.digest[0] = '\0';
	run_finals_print_bits(&f, &text);
	tap_str(buf_str(&text), "3 classes among 4 finalists", "without the winner's");
	buf_clear(&text);
	f.n = 1;
	run_finals_print_bits(&f, &text);
	tap_str(buf_str(&text), "", "none is known");
	buf_fini(&text);
}

/* A finalist that may be as fast stands before a slower one; who failed later is none. */
static void test_withdrawn(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("withdrawn.db"), &run);
	struct run_finals f;
	struct run_place top[8];

	rows_add_trial(d, run, "{\"B\":1}", RESULT_OK, 90);
	rows_add_trial(d, run, "{\"B\":2}", RESULT_OK, 80);
	rows_add_trial(d, run, "{\"B\":3}", RESULT_OK, 70);
	rows_add_trial(d, run, "{\"B\":4}", RESULT_OK, 60);
	add_final(d, run, "{\"B\":1}", 100, true, false);
	add_final(d, run, "{\"B\":2}", 101, false, false);
	add_final(d, run, "{\"B\":3}", 102, false, false);
	add_final(d, run, "{\"B\":4}", 100, true, true);
	rows_ask(rows_path("withdrawn.db"), "UPDATE final SET standing = 'unsure' WHERE "
					    "config_key LIKE '%3%'");
	rows_ask(rows_path("withdrawn.db"), "UPDATE trial SET recorded_ms = recorded_ms - 1000");
	rows_add_trial(d, begin(d, "tiny", false), "{\"B\":4}", RESULT_WRONG, 0);
	struct run_table t = read_table(d, run);

	tap_int(t.n, 3, "what stands");
	tap_int(run_finals_read(d, run, &f, &e), ASC_OK, "finals");
	if (tap_int(run_top(&t, &f, top, 8), 3, "places")) {
		tap_str(top[0].config_key, "{\"B\":1}", "a tie");
		tap_str(top[1].config_key, "{\"B\":3}", "who may be as fast");
		tap_str(top[2].config_key, "{\"B\":2}", "who is slower");
	}
	run_finals_fini(&f);
	run_table_fini(&t);
	db_close(d);
}

static enum asc_status see_cell(void *user, const struct db_cover_cell *c, struct asc_err *err)
{
	char *seen = user;

	(void)err;
	strcat(seen, c->config_key);
	return ASC_OK;
}

/* A finalist that failed since is in no cover, also one that never had a time of its own. */
static void test_cells(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("cells.db"), &run);
	char seen[64] = "";

	rows_add_trial(d, run, "{\"B\":1}", RESULT_OK, 90);
	rows_add_trial(d, run, "{\"B\":2}", RESULT_OK, 80);
	rows_add_trial(d, run, "{\"B\":3}", RESULT_UNDECIDED, 70);
	rows_add_trial(d, run, "{\"B\":4}", RESULT_UNDECIDED, 70);
	add_final(d, run, "{\"B\":1}", 100, true, true);
	add_final(d, run, "{\"B\":2}", 101, false, false);
	add_final(d, run, "{\"B\":3}", 102, false, false);
	add_final(d, run, "{\"B\":4}", 103, false, false);
	rows_ask(rows_path("cells.db"), "UPDATE trial SET recorded_ms = recorded_ms - 1000");
	rows_add_trial(d, run, "{\"B\":2}", RESULT_WRONG, 0);
	rows_add_trial(d, run, "{\"B\":3}", RESULT_CRASHED, 0);
	tap_int(today_each_cover_cell(d, see_cell, seen, &e), ASC_OK, "cells");
	tap_str(seen, "{\"B\":1}{\"B\":4}", "what stands");
	db_close(d);
}

/* ---- comparing ---- */

static void test_compare(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("compare.db"), &run);
	struct run_comparison c;
	struct run_difference list[4];

	for (int k = 1; k <= 4; k++) {
		char config[32];

		snprintf(config, sizeof config, "{\"B\":%d,\"OLD\":1}", k);
		rows_add_trial(d, run, config, RESULT_OK, 100 * k);
	}
	const int64_t second = begin(d, "tiny", false);

	rows_add_trial(d, second, "{\"B\":3,\"OLD\":1}", RESULT_OK, 330);
	rows_add_trial(d, second, "{\"B\":2,\"OLD\":1}", RESULT_OK, 240);
	rows_add_trial(d, second, "{\"B\":1,\"OLD\":1}", RESULT_OK, 400);
	rows_add_trial(d, second, "{\"B\":1,\"OLD\":1}", RESULT_OK, 100);
	rows_add_trial(d, second, "{\"B\":4,\"OLD\":1}", RESULT_CRASHED, 0);
	rows_add_trial(d, second, "{\"B\":9,\"NEW\":\"x\"}", RESULT_OK, 50);
	struct run_table a = read_table(d, run), b = read_table(d, second), none = {0};

	tap_int(run_compare(&a, &b, &c, &e), ASC_OK, "compared");
	tap_int(c.n, 3, "what passed in both");
	tap_real(c.ratio, 1.1, 1e-12, "the median of 1, 1.2 and 1.1");
	tap_ok(!c.interval.known && c.interval.low == 1 && c.interval.high == 1.2,
	       "range of the ratio");
	tap_real(c.rank_correlation, 1, 1e-12, "in the same order");
	run_comparison_fini(&c);
	tap_int(run_differences(&a, &a.trials[0], &b, &b.trials[5], list, 4), 3, "differences");
	tap_ok(strcmp(list[0].before, "1") == 0 && strcmp(list[0].after, "9") == 0, "of a value");
	tap_ok(!list[1].after && strcmp(list[1].name, "OLD") == 0, "one that is gone");
	tap_ok(!list[2].before && strcmp(list[2].name, "NEW") == 0, "a new parameter");
	tap_int(run_differences(&b, &b.trials[5], &a, &a.trials[0], list, 4), 3,
		"differences the other way");
	tap_ok(!list[2].after && strcmp(list[2].name, "NEW") == 0, "one of the other table only");
	tap_int(run_differences(&a, &a.trials[0], &b, &b.trials[3], list, 4), 0,
		"no differences of equal ones");
	tap_int(run_compare(&a, &none, &c, &e), ASC_OK, "nothing in common");
	tap_ok(c.n == 0 && isnan(c.ratio), "has no ratio");
	run_comparison_fini(&c);
	run_table_fini(&a);
	run_table_fini(&b);
	db_close(d);
}

/* ---- spaces, energy, one trial ---- */

struct counted {
	char text[256];
};

static enum asc_status see_count(void *user, const char *implementation,
				 const struct db_space_count *c, struct asc_err *err)
{
	struct counted *t = user;
	const size_t n = strlen(t->text);

	(void)err;
	snprintf(t->text + n, sizeof t->text - n, "%s %s %s %g;", implementation, c->kind,
		 c->origin ? c->origin : "-", c->configurations);
	return ASC_OK;
}

static void test_space(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("space.db"), &run);
	const struct db_space_count list[] = {{"all", NULL, NULL, 1e20},
					      {"condition", "constraints[0]", "a < b", NAN},
					      {"valid", NULL, NULL, 12}};
	struct counted t = {""};

	tap_int(db_each_space_count(d, run, see_count, &t, &e), ASC_OK, "nothing recorded");
	tap_str(t.text, "", "is nothing");
	tap_int(db_add_space(d, run, &rows_implementation, list, 3, &e), ASC_OK, "recorded");
	tap_int(db_each_space_count(d, run, see_count, &t, &e), ASC_OK, "asked");
	tap_str(t.text,
		"blocked all - 1e+20;blocked condition constraints[0] nan;blocked valid - 12;",
		"in order");
	tap_int(db_add_space(d, 99, &rows_implementation, list, 1, &e) != ASC_OK, 1, "of no run");
	db_close(d);
}

static enum asc_status see_energy(void *user, const struct db_run_energy *x, struct asc_err *err)
{
	struct buf *out = user;

	(void)err;
	buf_print(out, "%s %s%s: %g ns (%g..%g), %g J (%g..%g); ", x->implementation, x->config_key,
		  x->winner ? " won" : "", x->ns, x->low_ns, x->high_ns, x->joules, x->low_j,
		  x->high_j);
	return ASC_OK;
}

static void add_timed(struct db *d, int64_t run, const char *key, double ns)
{
	struct result r = rows_result(ns - 1, ns, ns + 1);
	struct db_trial t = rows_trial(key, &r);

	r.time.interval = (struct stats_interval){true, ns - 2, ns + 2};
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "%s: %g ns", key, ns);
}

/* Energies of a run: times are those of its finals, else of its trials. */
static void test_energies(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("energies.db"), &run);
	struct metric readings[] = {
		{.probe = "energy", .name = "energy_j", .unit = "J", .value = 2},
		{.probe = "energy", .name = "energy_low_j", .unit = "J", .value = 1.5},
		{.probe = "energy", .name = "energy_high_j", .unit = "J", .value = 2.5},
		{.probe = "other", .name = "energy_j", .unit = "J", .value = 7}};
	struct profile p = {.label = LABEL_UNKNOWN, .readings = readings, .n_readings = 4};
	struct buf seen = {0};

	add_timed(d, run, "B=1", 300);
	add_timed(d, run, "B=2", 200);
	add_timed(d, run, "B=3", 100);
	add_final(d, run, "B=1", 290, true, true);
	tap_int(db_put_profile(d, run, &rows_implementation, "B=1", &p, &e), ASC_OK, "a profile");
	p.n_readings = 1;
	tap_int(db_put_profile(d, run, &rows_implementation, "B=2", &p, &e), ASC_OK, "one turn");
	p.readings = &readings[3];
	tap_int(db_put_profile(d, run, &rows_implementation, "B=3", &p, &e), ASC_OK, "no energy");
	tap_int(db_each_run_energy(d, run, see_energy, &seen, &e), ASC_OK, "energies");
	tap_str(buf_str(&seen),
		"blocked B=2: 200 ns (198..202), 2 J (nan..nan); "
		"blocked B=1 won: 290 ns (nan..nan), 2 J (1.5..2.5); ",
		"the fastest first");
	buf_clear(&seen);
	tap_int(db_each_run_energy(d, run + 1, see_energy, &seen, &e), ASC_OK, "of another run");
	tap_int(seen.len, 0, "none");
	buf_fini(&seen);
	db_close(d);
}

static void test_trial(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("trial.db"), &run);
	struct result r = rows_result(9, 10, 11), have;
	struct db_trial t = rows_trial("B=1", &r);
	struct buf rewrites = {0};

	t.rewrites_json = "[{\"rewrite\":\"x\"}]";
	result_add_metric(&r, "nvml", "power", 250, "W", &e);
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "a trial");
	tap_int(db_get_trial(d, 1, &have, &rewrites, &e), ASC_OK, "all of it");
	tap_ok(have.n_samples == 3 && have.n_metrics == 1 && have.time.median == 10, "is there");
	tap_str(buf_str(&rewrites), t.rewrites_json, "with its rewrites");
	result_fini(&have);
	tap_int(db_get_trial(d, 7, &have, &rewrites, &e), ASC_NOTFOUND, "no such");
	tap_has(e.text, "trial 7", "is named");
	free(r.metrics);
	buf_fini(&rewrites);
	db_close(d);
}

static int64_t chosen(struct db *d, int64_t run)
{
	int64_t trial = -1;

	tap_int(today_find_chosen(d, run, &trial, &e), ASC_OK, "asked what was chosen");
	return trial;
}

static enum asc_status see_going(void *user, const struct db_going *g, struct asc_err *err)
{
	(void)err;
	buf_print(user, "%s %.0f;", g->config_key ? g->config_key : "-",
		  g->config_key ? g->median_ns : 0);
	return ASC_OK;
}

static void check_going(struct db *d, const char *expected, const char *name)
{
	struct buf text = {0};

	tap_int(today_each_going(d, NULL, 5, see_going, &text, &e), ASC_OK, "asked what goes on");
	tap_str(buf_str(&text), expected, "%s", name);
	buf_fini(&text);
}

/* What a run chose is not what was withdrawn since: then another finalist is, or trial. */
static void test_chosen(void)
{
	int64_t run, other = 0, absent;
	struct db *d = rows_open(rows_path("chosen.db"), &run);

	check_going(d, "- 0;", "a run without results");
	tap_int(chosen(d, run), 0, "nothing yet");
	rows_add_trial(d, run, "{\"B\":1}", RESULT_OK, 90);
	rows_add_trial(d, run, "{\"B\":2}", RESULT_OK, 95);
	rows_add_trial(d, run, "{\"B\":3}", RESULT_OK, 85);
	rows_add_trial(d, run, "{\"B\":4}", RESULT_SLOW, 80);
	tap_int(chosen(d, run), 3, "the fastest that passed");
	check_going(d, "{\"B\":3} 85;", "before the finals the fastest");
	add_final(d, run, "{\"B\":1}", 100, true, false);
	add_final(d, run, "{\"B\":2}", 101, true, true);
	tap_int(chosen(d, run), 2, "the winner of the finals");
	check_going(d, "{\"B\":2} 101;", "with its time there");
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &rows_run, &other, &e), ASC_OK,
		"a later run");
	rows_add_trial(d, other, "{\"B\":2}", RESULT_CRASHED, 0);
	tap_int(chosen(d, run), 1, "another finalist");
	check_going(d, "- 0;{\"B\":3} 85;", "the fastest of the search");
	rows_add_trial(d, other, "{\"B\":1}", RESULT_WRONG, 0);
	tap_int(chosen(d, run), 3, "without finalists the fastest");
	rows_add_trial(d, other, "{\"B\":2}", RESULT_OK, 70);
	tap_int(chosen(d, run), 2, "the winner passes again");
	tap_int(today_find_chosen(d, 99, &absent, &e), ASC_NOTFOUND, "no such run");
	tap_has(e.text, "99", "is named");
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_newest();
	test_counted();
	test_single();
	test_time();
	test_machines();
	test_table();
	test_effects();
	test_top();
	test_bits();
	test_withdrawn();
	test_cells();
	test_chosen();
	test_compare();
	test_space();
	test_trial();
	test_energies();
	rows_leave();
	return tap_done();
}
