/* The best of a problem: which results count, and which does.
 * covers: kept_answers.c best.c answers.c query_record.c */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "reports/results/today.h"
#include "tests/tap.h"
#include "tests/unit/db/bests.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/result/profile.h"

static struct asc_err e;

static enum asc_status check_members(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)user, (void)err;
	tap_str(b->workload, "sdpa", "workload");
	tap_str(b->operator_name, "attention", "operator");
	tap_str(b->problem, "tiny", "problem");
	tap_str(b->dims_json, rows_problem.dims_json, "dims");
	tap_str(b->device_kind, "cpu", "device");
	tap_str(b->device_model, "Model 1", "model");
	tap_str(b->device_arch, "x86-64", "arch");
	tap_str(b->device_fingerprint, "f1", "fingerprint");
	tap_str(b->clock, "monotonic", "clock");
	tap_str(b->implementation, "blocked", "implementation");
	tap_int(b->implementation_index, 2, "index of the best");
	tap_str(b->config_json, "{\"B\":1}", "configuration");
	tap_str(b->config_key, "B=1", "key of the best");
	tap_int(strlen(b->recorded_at), 20, "time: %s", b->recorded_at);
	tap_ok(b->run_id == 1 && b->trial_id == 1 && b->n_samples == 3, "ids and samples");
	tap_ok(b->q1_ns == 90 && b->median_ns == 100.5 && b->q3_ns == 110, "quartiles");
	tap_ok(b->min_ns == 80 && b->max_ns == 1000, "range");
	tap_ok(b->flops == 4096 && b->bytes == 512 && b->max_abs_error == 0.25, "amounts");
	tap_real(b->clock_mhz, 1755, 0, "the clock that it was measured at");
	tap_ok(b->default_ns == 0 && b->trials == 1 && b->ok_trials == 1, "no default, one trial");
	return ASC_OK;
}

static void test_members(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("members.db"), &run);
	struct result r = rows_result(90, 100.5, 110);
	struct db_trial t = rows_trial("B=1", &r);

	r.time.min = 80;
	r.time.max = 1000;
	r.errors = (struct error_norms){.known = true, .max_abs = 0.25};
	r.notes = (int64_t[]){1755 << RESULT_MHZ_SHIFT, 1740 << RESULT_MHZ_SHIFT,
			      1980 << RESULT_MHZ_SHIFT};
	db_add_trial(d, run, &t, &e);
	tap_int(best_each(d, "sdpa", check_members, NULL, &e), ASC_OK, "every member is there");
	db_close(d);
}

/* Records energies of a configuration, as turns of its launches have them. */
static void add_energy(struct db *d, int64_t run, const char *key, double joules)
{
	struct metric readings[] = {
		{.probe = "energy", .name = "energy_j", .unit = "J", .value = joules},
		{.probe = "energy", .name = "energy_low_j", .unit = "J", .value = joules - 0.25},
		{.probe = "energy", .name = "energy_high_j", .unit = "J", .value = joules + 0.25},
		{.probe = "energy", .name = "energy_watts", .unit = "W", .value = 9}};
	const struct profile p = {.label = LABEL_UNKNOWN,
				  .readings = readings,
				  .n_readings = sizeof readings / sizeof *readings};

	tap_int(db_put_profile(d, run, &rows_implementation, key, &p, &e), ASC_OK, "%s: %g J", key,
		joules);
}

static struct bests ask_by(struct db *d, const char *workload, enum objective by)
{
	struct bests s = {.answer = ASC_OK};

	tap_int(best_each_by(d, workload, by, bests_visit, &s, &e), ASC_OK, "the best by %s",
		objective_name(by));
	return s;
}

static void test_energy(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("energy.db"), &run);

	bests_add(d, run, "B=1", RESULT_OK, 100);
	bests_add(d, run, "B=2", RESULT_OK, 200);
	bests_add(d, run, "B=3", RESULT_OK, 250);
	tap_int(ask_by(d, NULL, OBJECTIVE_ENERGY).n, 0, "no energy was measured: no answer");
	tap_str(ask_by(d, NULL, OBJECTIVE_TIME).keys[0], "B=1", "by time there is one");
	add_energy(d, run, "B=2", 3);
	add_energy(d, run, "B=3", 2);
	add_energy(d, run, "B=4", 1); /* nobody has tried it */
	tap_int(best_refresh(d, &e), ASC_OK, "answers are kept");
	struct bests s = ask_by(d, "sdpa", OBJECTIVE_ENERGY);

	tap_ok(s.n == 1 && strcmp(s.keys[0], "B=3") == 0, "the least of what was measured");
	tap_ok(s.rows[0].energy.objective == OBJECTIVE_ENERGY && s.rows[0].energy.measured == 2,
	       "of two");
	tap_ok(s.rows[0].energy.joules.value == 2 && s.rows[0].energy.joules.low == 1.75 &&
		       s.rows[0].energy.joules.high == 2.25,
	       "with its interval");
	tap_ok(s.rows[0].median_ns == 250 && s.rows[0].trials == 3, "beside its time");
	s = ask_by(d, "sdpa", OBJECTIVE_EDP);
	/* 500 and 600 nJ s, 562.5 and 550 at the ends that meet. */
	tap_ok(s.n == 1 && strcmp(s.keys[0], "B=2") == 0 && s.rows[0].n_ties == 2,
	       "of two products that may be equal the faster one");
	tap_int(ask_by(d, "other", OBJECTIVE_ENERGY).n, 0, "of another workload there is none");
	s = bests_ask(d, NULL);
	tap_ok(s.n == 1 && strcmp(s.keys[0], "B=1") == 0 &&
		       s.rows[0].energy.objective == OBJECTIVE_TIME,
	       "the best is still the fastest");
	s = (struct bests){.answer = ASC_OK};
	tap_int(best_find_by(d, run, OBJECTIVE_ENERGY, bests_visit, &s, &e), ASC_OK, "of a run");
	tap_ok(s.n == 1 && strcmp(s.keys[0], "B=3") == 0, "it is the same");
	db_close(d);
}

static void test_choice(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("choice.db"), &run);

	bests_add(d, run, "B=default", RESULT_OK, 500);
	bests_add(d, run, "B=1", RESULT_WRONG, 10);
	bests_add(d, run, "B=2", RESULT_SLOW, 20);
	bests_add(d, run, "B=3", RESULT_OK, 200);
	bests_add(d, bests_begin(d, "tiny", "p1", true), "B=4", RESULT_OK, 30);
	struct bests s = bests_ask(d, NULL);

	tap_ok(s.n == 1 && strcmp(s.keys[0], "B=3") == 0, "only what was measured and passed");
	tap_ok(s.rows[0].default_ns == 500, "beside the default configuration");
	tap_ok(s.rows[0].trials == 4 && s.rows[0].ok_trials == 2, "trials are counted");
	tap_ok(isnan(s.rows[0].max_abs_error), "an error that was not looked at is no number");

	int64_t second = bests_begin(d, "tiny", "p1", false);

	bests_add(d, second, "B=5", RESULT_OK, 200);
	s = bests_ask(d, NULL);
	tap_str(s.keys[0], "B=5", "the newest of equals");
	tap_ok(s.rows[0].default_ns == 0, "is not compared with a default of another moment");
	bests_add(d, second, "B=default", RESULT_OK, 450);
	bests_add(d, run, "B=default", RESULT_OK, 470);
	tap_ok(bests_ask(d, NULL).rows[0].default_ns == 450, "but with that of its own run");
	tap_int(best_refresh(d, &e), ASC_OK, "the answers are kept");
	db_close(d);
	tap_int(rows_ask(rows_path("choice.db"), "SELECT count(*) FROM best"), 1,
		"as a row of best");
	tap_int(rows_ask(rows_path("choice.db"), "SELECT count(*) FROM ties"), 0,
		"no finals, no ties");
}

/* Two of three problems have a policy that nobody can read. */
static void test_unreadable(void)
{
	static const char *const problems[] = {"p1", "p2", "p3"};
	const char *path = rows_path("unreadable.db");
	int64_t run;
	struct db *d = rows_open(path, &run);

	for (size_t i = 0; i < 3; i++) {
		run = bests_begin(d, problems[i], problems[i], false);
		bests_add(d, run, "B=1", RESULT_OK, 100);
		bests_add(d, run, "B=2", RESULT_OK, 200);
	}
	rows_ask(path, "UPDATE run SET policy_json = '{' WHERE id IN (2, 3)");
	tap_int(best_refresh(d, &e), ASC_INPUT, "two cannot be worked out: %s", e.text);
	tap_ok(strstr(e.text, "run 2 ") != NULL, "the first is named");
	tap_int(rows_ask(path, "SELECT count(*) FROM stale"), 2, "they stay stale");
	tap_int(rows_ask(path, "SELECT run_id FROM best"), 4, "the third has its answer");
	tap_int(best_keep(d, ASC_OK, &e), ASC_OK, "no reason for a run to fail");
	db_close(d);
}

/* Kept answers that no asctune has written, once they are no longer stale. */
static void test_damaged(void)
{
	/* answer, without what its columns are to hold */
	static const char loose[] = "CREATE TABLE loose AS SELECT * FROM answer";
	static const char *const damages[] = {
		"UPDATE answer SET sure = 'certainly'",
		"UPDATE answer SET n_ties = -1",
		"UPDATE answer SET trials = -1",
		"UPDATE answer SET trial_id = 77",
		"UPDATE answer SET implementation_id = 77",
		"UPDATE answer SET problem_id = 77",
		"UPDATE answer SET device_id = 77",
		"UPDATE answer SET sure = NULL",
		"UPDATE answer SET ties_json = NULL",
	};
	const char *path = rows_path("damaged.db");
	int64_t run;
	struct db *d = rows_open(path, &run);

	bests_add(d, run, "B=1", RESULT_OK, 100);
	tap_int(best_refresh(d, &e), ASC_OK, "the answers are kept");
	rows_ask(path, loose);
	rows_ask(path, "DROP TABLE answer");
	rows_ask(path, "CREATE TABLE answer AS SELECT * FROM loose");
	tap_int((long long)bests_ask(d, NULL).n, 1, "an answer");
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
		struct bests s = {.answer = ASC_OK};

		tap_ok(rows_ask(path, damages[i]) == 0, "%s", damages[i]);
		tap_int(best_each(d, NULL, bests_visit, &s, &e), ASC_INPUT, "%s", e.text);
		rows_ask(path, "DELETE FROM answer");
		rows_ask(path, "INSERT INTO answer SELECT * FROM loose");
	}
	db_close(d);
}

static void add_final(struct db *d, int64_t run, const char *key, double ratio,
		      enum standing standing, bool winner)
{
	const int64_t samples[] = {150, 160, 170};
	const struct db_final f = {.implementation = rows_implementation,
				   .config_key = key,
				   .standing = standing,
				   .winner = winner,
				   .ratio = ratio,
				   .interval = {true, ratio - 0.01, ratio + 0.01},
				   .threads = 1,
				   .time = {.n = 3,
					    .min = 150,
					    .q1 = 155,
					    .median = 160,
					    .q3 = 165,
					    .max = 170,
					    .interval = {true, 151, 169}},
				   .samples = samples,
				   .n_samples = 3,
				   .clock_mhz = 1700 + ratio};

	tap_int(db_add_final(d, run, &f, &e), ASC_OK, "finalist %s", key);
}

static enum asc_status check_winner(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)user, (void)err;
	tap_str(b->config_key, "B=2", "the winner of the finals, not the lowest median");
	tap_ok(b->median_ns == 160 && b->n_samples == 3, "with its time there");
	tap_real(b->clock_mhz, 1701, 1e-9, "the clock");
	tap_str(b->sure, "tie", "how sure that is");
	tap_ok(b->n_ties == 2 && b->noise_pct == 1.5, "of how many, within what");
	tap_ok(b->low_ns == 151 && b->high_ns == 169, "the interval");
	tap_has(b->ties_json, "\"config_key\":\"B=1\"", "the class of ties");
	tap_has(b->ties_json, "\"winner\":true", "with its winner");
	tap_ok(!strstr(b->ties_json, "B=3"), "without who was slower");
	tap_int(b->trial_id, 2, "trial of the best");
	return ASC_OK;
}

static enum asc_status print_sure(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)err;
	snprintf(user, 64, "%s %d %s", b->config_key, (int)b->n_ties, b->sure);
	return ASC_OK;
}

static void check_sure(struct db *d, const char *expected, const char *name)
{
	char text[64] = "";

	tap_int(best_each(d, NULL, print_sure, text, &e), ASC_OK, "asked");
	tap_str(text, expected, "%s", name);
}

static enum asc_status check_older(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)user, (void)err;
	tap_has(b->ties_json, "\"standing\":\"undecided\"", "a word of earlier versions");
	return ASC_OK;
}

static void test_finals(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("finals.db"), &run);

	bests_add(d, run, "B=1", RESULT_OK, 100);
	bests_add(d, run, "B=2", RESULT_OK, 101);
	bests_add(d, run, "B=3", RESULT_OK, 102);
	add_final(d, run, "B=1", 1.001, STANDING_TIED, false);
	add_final(d, run, "B=2", 1, STANDING_TIED, true);
	add_final(d, run, "B=3", 1.03, STANDING_SLOWER, false);
	tap_int(db_set_sure(d, run, &(struct sureness){SURE_TIE, 2, 1.5}, false, &e), ASC_OK,
		"how sure");
	tap_int(best_each(d, NULL, check_winner, NULL, &e), ASC_OK, "asked for the best");
	tap_int(best_refresh(d, &e), ASC_OK, "the answers are kept");
	tap_int(rows_ask(rows_path("finals.db"), "SELECT count(*) FROM ties"), 2, "two are tied");
	rows_ask(rows_path("finals.db"),
		 "UPDATE final SET standing = 'unsure' WHERE standing = 'tied' AND NOT winner");
	(void)best_each(d, NULL, check_older, NULL, &e);
	rows_ask(rows_path("finals.db"), "UPDATE trial SET recorded_ms = recorded_ms - 1000");
	bests_add(d, run, "B=1", RESULT_WRONG, 100);
	check_sure(d, "B=2 1 clear winner", "nobody is tied with it any more");
	bests_add(d, run, "B=2", RESULT_WRONG, 100);
	check_sure(d, "B=3 1 ", "who was slower than what was withdrawn is compared with nobody");
	struct bests s = bests_ask(d, NULL);

	tap_int(s.rows[0].trials, 3, "a configuration counts once");
	tap_int(s.rows[0].ok_trials, 1, "and is ok no more when it was withdrawn");
	tap_ok(db_add_final(d, 99,
			    &(struct db_final){.implementation = rows_implementation,
					       .config_key = "B=1"},
			    &e) == ASC_NOTFOUND,
	       "a run that is not there: %s", e.text);
	db_close(d);
}

/* How much finals decide: an answer apart from the best on record less than one beside it, that of
 * some configurations alone as much. */
static void test_decided(void)
{
	static const struct {
		enum sure sure;
		enum db_weight weight;
		int decided;
	} cases[] = {{SURE_CLEAR, DB_WEIGHS_SURE, 2},     {SURE_TIE, DB_WEIGHS_SURE, 2},
		     {SURE_CLEAR, DB_WEIGHS_LESS, 1},     {SURE_TIE, DB_WEIGHS_LESS, 1},
		     {SURE_UNDECIDED, DB_WEIGHS_SURE, 1}, {SURE_UNRANKED, DB_WEIGHS_SURE, 0},
		     {SURE_UNKNOWN, DB_WEIGHS_ASKED, 2},  {SURE_UNRANKED, DB_WEIGHS_ASKED, 0}};
	const char *path = rows_path("decided.db");
	int64_t run;
	struct db *d = rows_open(path, &run);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct sureness s = {cases[i].sure, 1, 0};

		tap_int(db_set_sure(d, run, &s, cases[i].weight, &e), ASC_OK, "how sure");
		tap_int(rows_ask(path, "SELECT decided FROM run"), cases[i].decided,
			"%s, %d, decides", sure_name(s.sure), (int)cases[i].weight);
	}
	db_close(d);
}

static void add_default(struct db *d, int64_t run, const char *key, enum result_status status,
			double median)
{
	struct result r = rows_result(median - 10, median, median + 10);
	struct db_trial t = rows_trial(key, &r);

	r.status = status;
	t.is_default = true;
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "default %s", key);
}

static enum asc_status keep_default(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)err;
	snprintf(user, 64, "%s against %s", b->config_key, b->default_key ? b->default_key : "-");
	return ASC_OK;
}

static void check_default(struct db *d, const char *expected, const char *name)
{
	char text[64] = "";

	tap_int(best_each(d, NULL, keep_default, text, &e), ASC_OK, "asked");
	tap_str(text, expected, "%s", name);
}

/* The default of another problem, and what was one before the workload was edited, are none. */
static void test_default(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("default.db"), &run);
	const int64_t other = bests_begin(d, "other", "p2", false);

	add_default(d, other, "B=1", RESULT_OK, 200);
	bests_add(d, run, "B=1", RESULT_OK, 100);
	bests_add(d, run, "B=3", RESULT_OK, 90);
	add_default(d, run, "B=2", RESULT_OK, 120);
	add_final(d, run, "B=1", 1.02, STANDING_SLOWER, false);
	add_final(d, run, "B=2", 1.05, STANDING_SLOWER, false);
	add_final(d, run, "B=3", 1, STANDING_TIED, true);
	tap_int(db_set_sure(d, run, &(struct sureness){SURE_CLEAR, 1, 0}, false, &e), ASC_OK,
		"finals");
	check_default(d, "B=3 against B=2", "the default of its own problem");
	rows_ask(rows_path("default.db"), "UPDATE trial SET status = 'slow' WHERE median_ns = 120");
	check_default(d, "B=3 against B=2", "a default that was dropped for being slow");
	add_default(d, bests_begin(d, "tiny", "p1", false), "B=1", RESULT_OK, 110);
	check_default(d, "B=3 against B=1", "the newest default");
	add_default(d, bests_begin(d, "tiny", "p1", false), "B=1", RESULT_WRONG, 110);
	check_default(d, "B=3 against B=2", "not one that was wrong since");
	add_default(d, bests_begin(d, "tiny", "p1", false), "B=2", RESULT_CRASHED, 110);
	check_default(d, "B=3 against -", "no default that crashed");
	db_close(d);
}

static enum asc_status check_unranked(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)err;
	tap_str(b->sure, user, "%s is %s", b->config_key, (const char *)user);
	return ASC_OK;
}

/* Three samples each, twice as long: sure where no finals were asked for, not ranked where the
 * policy has them and they were not held. One sample says little. */
static void test_unranked(void)
{
	static const struct {
		const char *policy, *sure;
	} cases[] = {{"{\"finals_ratio\":0}", "clear winner"},
		     {"{\"finals_ratio\":2}", "undecided"}};
	struct db_run r = rows_run;

	for (size_t i = 0; i < 2; i++) {
		int64_t run;
		struct db *d = rows_open(rows_path(i ? "unranked.db" : "ranked.db"), &run);

		r.policy_json = cases[i].policy;
		tap_int(db_begin_run(d, &rows_device, &rows_problem, &r, &run, &e), ASC_OK, "run");
		bests_add(d, run, "B=1", RESULT_OK, 1000);
		bests_add(d, run, "B=2", RESULT_OK, 2000);
		tap_int(best_each(d, NULL, check_unranked, (void *)(uintptr_t)cases[i].sure, &e),
			ASC_OK, "asked");
		if (i == 1) /* 990 to 1010, widened by 20 and a twelfth of 1000 at each end */
			tap_real(bests_ask(d, NULL).rows[0].noise_pct, 34.0 / 3, 1e-9,
				 "noise is half the width of the interval");
		bests_add(d, run, "B=3", RESULT_UNDECIDED, 900);
		tap_int(best_each(d, NULL, check_unranked, (void *)(uintptr_t) "undecided", &e),
			ASC_OK, "asked beside one that may be faster");
		db_close(d);
	}
}

static enum asc_status check_noise(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)user;
	(void)err;
	tap_ok(b->noise_pct < 10000, "noise of %g %%", b->noise_pct);
	return ASC_OK;
}

/* Three samples from 1 to 9: their range widened by as much again would begin below 0. */
static void test_scattered(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("scattered.db"), &run);
	struct db_run r = rows_run;
	const struct result result = rows_result(1000000, 2000000, 9000000);

	r.policy_json = "{\"finals_ratio\":2}";
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &r, &run, &e), ASC_OK, "run");
	for (int i = 0; i < 3; i++) {
		const struct db_trial t =
			rows_trial((const char *[]){"B=1", "B=2", "B=3"}[i], &result);

		tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "trial");
	}
	tap_int(best_each(d, NULL, check_noise, NULL, &e), ASC_OK, "asked");
	db_close(d);
}

/* The clock is turned back by a day: what is recorded then is newer than what was before. */
static void test_clock(void)
{
	int64_t run = 0;
	const char *path = rows_path("clock.db");
	struct db *d = rows_open(path, &run);

	bests_add(d, run, "B=1", RESULT_OK, 100);
	bests_add(d, run, "B=2", RESULT_OK, 200);
	rows_ask(path, "UPDATE trial SET recorded_ms = recorded_ms + 86400000");
	rows_ask(path, "UPDATE run SET started_ms = started_ms + 86400000");
	bests_add(d, run, "B=1", RESULT_CRASHED, 0);
	struct bests s = bests_ask(d, NULL);
	tap_str(s.keys[0], "B=2", "a failure of the same run withdraws");
	run = bests_begin(d, "tiny", "p1", false);
	tap_int(rows_ask(path,
			 "SELECT max(started_ms) = (SELECT started_ms FROM run ORDER BY id DESC"
			 " LIMIT 1) AND count(DISTINCT started_ms) = 2 FROM run"),
		1, "the newest run is the newest by its time");
	bests_add(d, run, "B=2", RESULT_WRONG, 0);
	bests_add(d, run, "B=3", RESULT_OK, 300);
	s = bests_ask(d, NULL);
	tap_str(s.keys[0], "B=3", "a failure of a later run withdraws");
	tap_int(db_end_run(d, run, "done", &e), ASC_OK, "its end");
	tap_int(rows_ask(path, "SELECT count(*) FROM run WHERE ended_ms < started_ms"), 0,
		"no run ends before it starts");
	db_close(d);
}

/* Times of cold and hot caches are two quantities: each has a best. */
static void test_cache_policies(void)
{
	int64_t run, hot = 0;
	struct db *d = rows_open(rows_path("policies.db"), &run);
	struct db_run r = rows_run;

	r.cache_policy = "cold";
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &r, &hot, &e), ASC_OK, "a cold run");
	bests_add(d, run, "B=1", RESULT_OK, 50);
	bests_add(d, hot, "B=2", RESULT_OK, 80);
	struct bests s = bests_ask(d, NULL);

	tap_int(s.n, 2, "both are shown");
	tap_str(s.keys[0], "B=2", "cold first");
	tap_str(s.keys[1], "B=1", "then hot");
	tap_ok(s.rows[0].trials == 1 && s.rows[1].trials == 1, "each with its own trials");
	db_close(d);
}

static enum asc_status print_record(void *user, const struct db_record *r, struct asc_err *err)
{
	(void)err;
	buf_print(user, "%s %s %s %s;", r->cache_policy, r->config_key, r->status,
		  r->reason ? r->reason : "-");
	return ASC_OK;
}

static void check_records(struct db *d, bool newest, const char *expected, const char *name)
{
	const struct db_records which = {.newest = newest};
	struct buf text = {0};

	tap_int(today_each_record(d, &which, print_record, &text, &e), ASC_OK, "asked");
	tap_str(buf_str(&text), expected, "%s", name);
	buf_fini(&text);
}

/* What was wrong with cold caches does not pass with hot ones any more. */
static void test_records(void)
{
	int64_t hot, cold = 0;
	struct db *d = rows_open(rows_path("records.db"), &hot);
	struct db_run r = rows_run;

	r.cache_policy = "cold";
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &r, &cold, &e), ASC_OK, "a cold run");
	bests_add(d, hot, "B=1", RESULT_OK, 50);
	bests_add(d, hot, "B=2", RESULT_OK, 80);
	check_records(d, true, "hot B=1 ok -;hot B=2 ok -;", "the newest");
	bests_add(d, cold, "B=2", RESULT_WRONG, 80);
	rows_ask(rows_path("records.db"),
		 "UPDATE trial SET reason = 'by 2' WHERE status = 'wrong'");
	check_records(d, true, "cold B=2 wrong by 2;hot B=1 ok -;hot B=2 wrong by 2;", "withdrawn");
	check_records(d, false, "cold B=2 wrong by 2;hot B=1 ok -;hot B=2 ok -;",
		      "every trial, as it was");
	bests_add(d, cold, "B=2", RESULT_OK, 80);
	check_records(d, true, "cold B=2 ok -;hot B=1 ok -;hot B=2 ok -;", "the best stands again");
	db_close(d);
}

static void test_order(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("order.db"), &run);

	bests_add(d, bests_begin(d, "wide", "p3", false), "B=3", RESULT_OK, 3);
	bests_add(d, bests_begin(d, "big", "p2", false), "B=2", RESULT_OK, 2);
	bests_add(d, run, "B=1", RESULT_OK, 1);
	struct bests s = bests_ask(d, "sdpa");

	tap_int(s.n, 3, "one best per problem");
	tap_str(s.problems[0], "big", "ordered by problem: first");
	tap_str(s.problems[2], "wide", "the last problem");
	tap_int(bests_ask(d, "gemm").n, 0, "another workload has none");
	bests_add(d, bests_begin(d, "renamed", "p3", false), "B=4", RESULT_OK, 4);
	s = bests_ask(d, "sdpa");
	tap_ok(s.n == 4 && strcmp(s.problems[1], "renamed") == 0,
	       "the same content under another name is another problem");
	s = (struct bests){.answer = ASC_INTERRUPTED};
	tap_int(best_each(d, NULL, bests_visit, &s, &e), ASC_INTERRUPTED, "a visitor may stop");
	tap_ok(s.n == 1 && strcmp(e.text, "enough") == 0, "at once, with its own words");
	tap_int(bests_ask(d, NULL).n, 4, "the next question is answered whole");
	db_close(d);
}

/* A run of the implementation `blocked` with this content; records a trial when `median` is not 0.
 */
static void run_content(struct db *d, const char *problem_key, const char *key, double median)
{
	const struct db_implementation content = {.name = "blocked", .index = 2, .key = key};
	struct result r = rows_result(median - 10, median, median + 10);
	struct db_trial t = rows_trial("B=1", &r);
	struct db_problem p = rows_problem;
	struct db_run run = rows_run;
	int64_t id = 0;

	p.problem_key = problem_key;
	run.implementations = &content;
	t.implementation = content;
	tap_int(db_begin_run(d, &rows_device, &p, &run, &id, &e), ASC_OK, "run of %s", key);
	if (median > 0)
		tap_int(db_add_trial(d, id, &t, &e), ASC_OK, "%g ns", median);
}

static enum asc_status keep_median(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)err;
	*(double *)user += b->median_ns;
	return ASC_OK;
}

static double sum_of_bests(struct db *d)
{
	double sum = 0;

	tap_int(best_each(d, NULL, keep_median, &sum, &e), ASC_OK, "asked");
	return sum;
}

/* What was edited since is history: `best` speaks of what the newest run saw. */
static void test_edited(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("edited.db"), &run);

	run_content(d, "p1", "fast", 50);
	tap_real(sum_of_bests(d), 50, 0, "the first content");
	run_content(d, "p1", "slow", 90);
	tap_real(sum_of_bests(d), 90, 0, "an edited kernel hides what it was before");
	run_content(d, "p1", "fast", 0);
	tap_real(sum_of_bests(d), 50, 0, "edited back and resumed, it is the first again");
	run_content(d, "p2", "fast", 70);
	tap_real(sum_of_bests(d), 70, 0, "so does a problem with other dims under the same name");
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_members();
	test_choice();
	test_energy();
	test_unreadable();
	test_damaged();
	test_finals();
	test_decided();
	test_unranked();
	test_scattered();
	test_default();
	test_clock();
	test_cache_policies();
	test_records();
	test_order();
	test_edited();
	rows_leave();
	return tap_done();
}
