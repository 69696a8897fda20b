/* Generated nights in a database: what happened is planted, and told apart.
 * covers: outcomes.c track_history.c track_read.c track_cause.c track_known.c query_history.c */
#include "reports/track/track_groups.h"
#include "reports/track/track_history.h"
#include "reports/track/track_transitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_known.h"
#include "reports/track/track_write.h"
#include "tests/tap.h"
#include "tests/unit/db/points.h"
#include "tuner/base/buf.h"

static struct asc_err e;

enum { NIGHTS = 60 };

static const struct point usual;

struct story {
	const char *name;
	struct point then; /* the newest nights */
	size_t points;     /* so many of them */
	size_t after;      /* and so many as always behind them */
	enum track_verdict verdict;
	enum track_cause cause;
	const char *why; /* part of it */
};

#define REGRESSION(cause)  4, 0, TRACK_REGRESSION, TRACK_CAUSE_##cause
#define IMPROVEMENT(cause) 4, 0, TRACK_IMPROVEMENT, TRACK_CAUSE_##cause

static const struct story stories[] = {
	{"nothing", {0}, 3, 0, TRACK_UNCHANGED, 0, NULL},
	{"slower", {.ns_1 = 106000, .ns_2 = 159000}, REGRESSION(SLOWER), NULL},
	{"faster", {.ns_1 = 94000}, IMPROVEMENT(SLOWER), NULL},
	{"one night", {.ns_1 = 130000}, 1, 0, TRACK_UNDECIDED, 0, "one more will tell"},
	{"one night past", {.ns_1 = 130000}, 1, 3, TRACK_UNCHANGED, 0, NULL},
	{"slower long ago", {.ns_1 = 110000}, 20, 0, TRACK_SLOWER, 0, NULL},
	{"faster long ago", {.ns_1 = 90000}, 20, 0, TRACK_FASTER, 0, NULL},
	{"throttled",
	 {.ns_1 = 130000, .ns_2 = 195000, .mhz = 1400, .unsteady = true},
	 1,
	 0,
	 TRACK_UNDECIDED,
	 0,
	 "not steady"},
	{"throttled past",
	 {.ns_1 = 130000, .ns_2 = 195000, .mhz = 1400, .unsteady = true},
	 2,
	 2,
	 TRACK_UNCHANGED,
	 0,
	 NULL},
	{"lower clock",
	 {.ns_1 = 110000, .ns_2 = 165000, .mhz = 1800},
	 REGRESSION(DEVICE),
	 "clock 1800 MHz, was 1980"},
	{"other clock, not slower for it",
	 {.ns_1 = 110000, .ns_2 = 165000, .mhz = 2100},
	 REGRESSION(SLOWER),
	 "clock 2100 MHz, was 1980"},
	{"new driver",
	 {.driver = "7.0", .fingerprint = "f2", .ns_1 = 108000},
	 REGRESSION(DEVICE),
	 "driver 7.0, was 6.1"},
	{"new driver, as fast",
	 {.driver = "7.0", .fingerprint = "f2"},
	 4,
	 0,
	 TRACK_UNCHANGED,
	 0,
	 NULL},
	{"new limits",
	 {.fingerprint = "f3", .ns_1 = 108000},
	 REGRESSION(DEVICE),
	 "limits or clocks"},
	{"new source",
	 {.code = "k2", .ns_1 = 108000},
	 REGRESSION(CODE),
	 "source or toolchain changed"},
	{"spills",
	 {.code = "k2", .registers = 255, .spills = 96, .ns_1 = 120000, .ns_2 = 180000},
	 REGRESSION(CODE),
	 "local_bytes 96 byte, was 0; registers 255, was 64"},
	{"other winner",
	 {.ns_2 = 80000},
	 IMPROVEMENT(CONFIGURATION),
	 "another configuration won: the old best takes 10"},
	{"winner slower", {.ns_1 = 190000}, REGRESSION(SLOWER), "the old best takes 18"},
	{"winner fails",
	 {.ns_1 = -1},
	 REGRESSION(CONFIGURATION),
	 "the old best no longer builds; B=2, was 1"},
	{"winner missing",
	 {.ns_1 = NIGHT_OFF},
	 REGRESSION(CONFIGURATION),
	 "the old best was not tried again; B=2, was 1"},
	{"more bytes",
	 {.ns_1 = 120000, .ns_2 = 180000, .dram_bytes = 351e6},
	 REGRESSION(SLOWER),
	 "dram bytes +31 % (268 MB to 351 MB)"},
};

enum { STORIES = sizeof stories / sizeof *stories };

static void write_stories(struct db *d)
{
	struct rng rng;

	rng_init(&rng, 7);
	for (size_t k = 0; k < STORIES; k++) {
		const struct story *s = &stories[k];

		const struct point before = {.dram_bytes = s->then.dram_bytes > 0 ? 268e6 : 0};

		for (size_t i = 0; i < NIGHTS; i++)
			night_add(d, s->name, &before, &rng);
		for (size_t i = 0; i < s->points; i++)
			night_add(d, s->name, &s->then, &rng);
		for (size_t i = 0; i < s->after; i++)
			night_add(d, s->name, &usual, &rng);
	}
}

static void check_story(const struct story *s, const struct track_series *found)
{
	if (!tap_ok(found != NULL, "%s: is tracked", s->name))
		return;
	tap_str(track_verdict_name(found->verdict), track_verdict_name(s->verdict), "%s: verdict",
		s->name);
	tap_str(track_cause_name(found->cause), track_cause_name(s->cause), "%s: cause", s->name);
	if (s->why)
		nights_check_why(found, s->why);
	if (found->changed)
		tap_int(found->index, NIGHTS, "%s: since when", s->name);
}

static enum asc_status see_transition(void *user, const struct track_transition *t,
				      struct asc_err *err)
{
	(void)err;
	buf_print(user, "%s %s %s %s;", t->problem,
		  t->config_key ? t->config_key : t->implementation, t->was, t->is);
	return ASC_OK;
}

static void test_stories(void)
{
	const char *path = rows_path("stories.db");
	struct db *d = nights_open(path);
	struct buf transitions = {0};

	write_stories(d);
	struct track_history *h = nights_track(path, d);

	tap_int(h->n, STORIES, "series");
	for (size_t k = 0; k < STORIES; k++)
		check_story(&stories[k], nights_find(h, stories[k].name));
	tap_int(track_transitions_each(d, see_transition, &transitions, &e), ASC_OK, "turns");
	tap_str(buf_str(&transitions), "", "nothing turned in the newest night");
	buf_fini(&transitions);
	track_history_free(h);
	db_close(d);
}

static void test_turns(void)
{
	const char *path = rows_path("turns.db");
	struct point broken = {.ns_2 = -1};
	struct db *d = nights_open(path);
	struct buf transitions = {0};
	struct rng rng;

	rng_init(&rng, 8);
	night_add(d, "p", &usual, &rng);
	night_add(d, "p", &broken, &rng);
	night_add(d, "q", &broken, &rng);
	night_add(d, "q", &usual, &rng);
	night_add(d, "r", &usual, &rng);
	broken.ns_1 = -1;
	night_add(d, "r", &broken, &rng);
	track_history_free(nights_track(path, d));
	tap_int(track_transitions_each(d, see_transition, &transitions, &e), ASC_OK, "turns");
	tap_str(buf_str(&transitions),
		"p B=2 ok build_failed;q B=2 build_failed ok;"
		"r blocked measured failed;r B=1 ok build_failed;r B=2 ok build_failed;",
		"both ways, and a whole implementation");
	buf_fini(&transitions);
	db_close(d);
}

/* A run that was killed or stopped says nothing about speed, and nothing turned in it. */
static void test_cut_short(void)
{
	const char *path = rows_path("cut.db");
	struct point slow = {.ns_1 = 300000, .ns_2 = 300000};
	struct db *d = nights_open(path);
	struct buf transitions = {0};
	struct rng rng;

	rng_init(&rng, 12);
	for (size_t i = 0; i < NIGHTS + 4; i++)
		night_add(d, "p", i < NIGHTS ? &usual : &slow, &rng);
	rows_ask(path, "UPDATE run SET outcome = NULL, ended_ms = NULL WHERE id > 60 AND id < 63");
	rows_ask(path, "UPDATE run SET outcome = 'interrupted' WHERE id >= 63");
	rows_ask(path,
		 "UPDATE trial SET status = 'crashed' WHERE run_id > 60 AND config_key = 'B=2'");
	struct track_history *h = nights_track(path, d);

	tap_int(h->list[0].n, NIGHTS, "runs that did not end are not compared");
	tap_str(track_verdict_name(h->list[0].verdict), "unchanged", "are no regression");
	tap_int(track_transitions_each(d, see_transition, &transitions, &e), ASC_OK, "turns");
	tap_str(buf_str(&transitions), "", "nothing turned");
	buf_fini(&transitions);
	track_history_free(h);
	db_close(d);
}

static void test_acknowledgement(void)
{
	const char *path = rows_path("ack.db");
	const char *name = "cpu: Model 1 sdpa/p blocked hot";
	struct point slower = {.ns_1 = 106000}, worse = {.ns_1 = 118000};
	struct db *d = nights_open(path);
	struct rng rng;

	rng_init(&rng, 9);
	for (size_t i = 0; i < NIGHTS + 4; i++)
		night_add(d, "p", i < NIGHTS ? &usual : &slower, &rng);
	struct track_history *h = nights_track(path, d);

	tap_int(track_known_acknowledge(h, d, "other", "why", NULL, 1000, &e), ASC_NOTFOUND,
		"no such series: %s", e.text);
	const char *whole = NULL;

	tap_int(track_known_find_name(h, "sdpa/p", false, &whole, &e), ASC_OK, "a short name");
	tap_str(whole, name, "is that of the times, though a metric is worse as well");
	tap_int(track_known_find_name(h, "sdpa/p blocked", false, &whole, &e), ASC_OK, "a longer");
	tap_str(whole, name, "is that as well");
	tap_int(track_known_find_name(h, "sdpa", false, &whole, &e), ASC_OK, "a part of a word");
	tap_str(whole, "sdpa", "is none");
	tap_int(track_known_find_name(h, "sdpa/p", true, &whole, &e), ASC_OK, "one to be undone");
	tap_str(whole, "sdpa/p", "is not there yet");
	tap_int(track_known_acknowledge(h, d, name, "known | `thing`", "me", 3600 * 1000, &e),
		ASC_OK, "acknowledged");
	track_history_free(h);
	h = nights_track(path, d);
	tap_str(h->list[0].ack.reason, "known | `thing`", "the reason is shown");
	struct track_groups g;

	tap_int(track_groups_find(h, &g, &e), ASC_OK, "groups");
	tap_int(g.counts.acknowledged, 1, "it is counted");
	tap_int(g.counts.failing, 1, "and does not fail: its energy alone does");
	track_groups_fini(&g);
	track_history_free(h);
	for (size_t i = 0; i < 6; i++)
		night_add(d, "p", &worse, &rng);
	h = nights_track(path, d);
	tap_str(track_verdict_name(h->list[0].verdict), "regression", "a further change");
	tap_ok(!h->list[0].ack.reason, "is new");
	track_history_free(h);
	db_close(d);
	rows_ask(path, "DELETE FROM trial WHERE run_id > 64");
	rows_ask(path, "UPDATE acknowledgement SET until_ms = 1");
	d = nights_open(path);
	h = nights_track(path, d);
	tap_str(track_verdict_name(h->list[0].verdict), "regression",
		"the regression is there again");
	tap_ok(!h->list[0].ack.reason, "an acknowledgement expires");
	track_history_free(h);
	db_close(d);
}

/* A toolchain is named where both are recorded. */
static void test_toolchain(void)
{
	static const struct point gcc_12 = {.toolchain = "cc gcc 12.2.0"},
				  gcc_13 = {.toolchain = "cc gcc 13.1.0",
					    .code = "k2",
					    .ns_1 = 108000},
				  edited = {.toolchain = "cc gcc 12.2.0",
					    .code = "k3",
					    .ns_1 = 108000};
	const char *path = rows_path("toolchain.db");
	struct db *d = nights_open(path);
	struct rng rng;

	rng_init(&rng, 12);
	for (size_t i = 0; i < NIGHTS + 4; i++) {
		night_add(d, "compiler", i < NIGHTS ? &gcc_12 : &gcc_13, &rng);
		night_add(d, "source", i < NIGHTS ? &gcc_12 : &edited, &rng);
	}
	rows_ask(path, "UPDATE run SET source_commit = iif(id <= 120, 'aaaaaaaaaaaaaaaa',"
		       " 'bbbbbbbbbbbbbbbb'), source_clean = id <= 120");
	struct track_history *h = nights_track(path, d);

	tap_has(nights_find(h, "compiler")->why, "built by cc gcc 13.1.0, was cc gcc 12.2.0",
		"another compiler");
	tap_int(nights_find(h, "compiler")->cause, TRACK_CAUSE_CODE, "is a change of the code");
	tap_has(nights_find(h, "source")->why,
		"the source changed; the compiler is the same; commit bbbbbbbbbbbb with changes, "
		"was "
		"aaaaaaaaaaaa",
		"another source, with both commits");
	track_history_free(h);
	db_close(d);
}

/* Whatever a night's clock said, and however many nights a day has: the verdict is that of the
 * values in the order of their dates. */
static void test_dates(void)
{
	static const struct {
		const char *name, *change;
		size_t nights, slower;
		const char *verdict;
	} cases[] = {
		{"one night", "SELECT 1", 1, 0, "undecided"},
		{"one night, its clock in 1970", "UPDATE run SET started_ms = 1", 1, 0,
		 "undecided"},
		{"two nights on each day", "UPDATE run SET started_ms = id / 2 * 86400000 + id", 40,
		 4, "regression"},
		{"all at one moment", "UPDATE run SET started_ms = 86400000", 40, 4, "regression"},
		{"a clock that went back to 1970 in one night",
		 "UPDATE run SET started_ms = 1 WHERE id = 38", 40, 4, "regression"},
		{"a clock an hour back in each second night",
		 "UPDATE run SET started_ms = started_ms - 3600000 * (id % 2)", 40, 4,
		 "regression"},
		{"a clock that went back in one night of nothing",
		 "UPDATE run SET started_ms = 1 WHERE id = 38", 40, 0, "unchanged"},
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const struct point slower = {.ns_1 = 120000};
		char file[16];
		struct rng rng;

		snprintf(file, sizeof file, "dates%zu.db", k);
		const char *path = rows_path(file);
		struct db *d = nights_open(path);

		rng_init(&rng, 18);
		for (size_t i = 0; i < cases[k].nights; i++)
			night_add(d, "p", i + cases[k].slower < cases[k].nights ? &usual : &slower,
				  &rng);
		rows_ask(path, "UPDATE run SET started_ms = id * 86400000");
		rows_ask(path, cases[k].change);
		struct track_history *h;

		if (track_history_open(d, path, &track_rule_default, &h, &e)) {
			tap_ok(false, "%s: %s", cases[k].name, e.text);
			db_close(d);
			continue;
		}
		tap_str(track_verdict_name(h->list[0].verdict), cases[k].verdict, "%s",
			cases[k].name);
		tap_int((long long)h->list[0].n, (long long)cases[k].nights, "no night is lost");
		track_history_free(h);
		db_close(d);
	}
}

/* A machine that another one of its model replaced, which is slower: no kernel became slower, and
 * what becomes slower on the new one does. Where the two cannot be told apart, the device's other
 * fingerprint is the cause. */
static void test_replaced(void)
{
	static const struct {
		const char *name;
		struct point before, after;
		size_t nights, slower; /* of the new machine; so many of them slower still */
		const char *verdicts;  /* verdict and cause of each series, of the old one first */
		bool fails;            /* the newest series */
	} cases[] = {
		{"for one night",
		 {.machine = "GPU-1"},
		 {.machine = "GPU-2", .fingerprint = "f2", .ns_1 = 112000},
		 1,
		 0,
		 "unchanged, unknown; undecided, unknown; ",
		 false},
		{"for 40 nights",
		 {.machine = "GPU-1"},
		 {.machine = "GPU-2", .fingerprint = "f2", .ns_1 = 112000},
		 40,
		 0,
		 "unchanged, unknown; unchanged, unknown; ",
		 false},
		{"and slower on the new one",
		 {.machine = "GPU-1"},
		 {.machine = "GPU-2", .fingerprint = "f2", .ns_1 = 112000},
		 40,
		 4,
		 "unchanged, unknown; regression, same configuration; ",
		 true},
		{"by one that has no name either",
		 {.fingerprint = "f1"},
		 {.fingerprint = "f2", .ns_1 = 112000},
		 4,
		 0,
		 "regression, device or driver changed; ",
		 true},
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct point slower = cases[k].after;
		struct buf verdicts = {0};
		char file[24];
		struct rng rng;

		snprintf(file, sizeof file, "replaced%zu.db", k);
		const char *path = rows_path(file);
		struct db *d = nights_open(path);

		slower.ns_1 *= 1.2;
		rng_init(&rng, 19);
		for (size_t i = 0; i < NIGHTS; i++)
			night_add(d, "p", &cases[k].before, &rng);
		for (size_t i = 0; i < cases[k].nights; i++)
			night_add(d, "p",
				  i + cases[k].slower < cases[k].nights ? &cases[k].after : &slower,
				  &rng);
		struct track_history *h = nights_track(path, d);

		for (size_t i = 0; i < h->n; i++)
			buf_print(&verdicts, "%s, %s; ", track_verdict_name(h->list[i].verdict),
				  track_cause_name(h->list[i].cause));
		tap_str(buf_str(&verdicts), cases[k].verdicts, "replaced %s", cases[k].name);
		tap_int(track_series_fails(&h->list[h->n - 1]), cases[k].fails,
			"replaced %s: whether it fails", cases[k].name);
		buf_fini(&verdicts);
		track_history_free(h);
		db_close(d);
	}
}

/* Nights of two machines in turns: one is slower than the other, and neither became so. */
static void test_machines(void)
{
	static const struct point before = {.fingerprint = "f0"},
				  a = {.fingerprint = "f1", .machine = "GPU-1"},
				  a_new = {.fingerprint = "f2", .driver = "7", .machine = "GPU-1"},
				  b = {.fingerprint = "f3", .machine = "GPU-2", .ns_1 = 112000};
	const char *path = rows_path("machines.db");
	struct db *d = nights_open(path);
	struct buf transitions = {0};
	struct rng rng;

	rng_init(&rng, 13);
	for (size_t i = 0; i < 2 * NIGHTS; i++)
		night_add(d, "p", i < 20 ? &before : i < 90 ? &a : &a_new, &rng);
	struct track_history *h = nights_track(path, d);

	tap_int(h->n, 1, "one machine: what was recorded before it was known, and drivers");
	tap_str(h->list[0].name, "cpu: Model 1 sdpa/p blocked hot", "a plain name");
	tap_str(track_verdict_name(h->list[0].verdict), "unchanged", "nothing changed");
	track_history_free(h);
	for (size_t i = 0; i < 20; i++) {
		night_add(d, "p", &b, &rng);
		night_add(d, "p", &a_new, &rng);
	}
	h = nights_track(path, d);
	tap_int(h->n, 3, "two machines, and what is not known to be of either");
	for (size_t k = 0; k < h->n; k++)
		tap_str(track_verdict_name(h->list[k].verdict), "unchanged", "%s", h->list[k].name);
	tap_str(h->list[1].name, "cpu: Model 1 GPU-1 sdpa/p blocked hot", "with its name");
	tap_int(h->list[1].n, 2 * NIGHTS, "its nights, whatever the driver");
	tap_int(track_transitions_each(d, see_transition, &transitions, &e), ASC_OK, "turns");
	tap_str(buf_str(&transitions), "", "are not between machines");
	buf_fini(&transitions);
	track_history_free(h);
	db_close(d);
}

static void check_won(const char *path, struct db *d, const char *config, const char *what)
{
	struct track_history *h = nights_track(path, d);

	tap_int(h->list[0].n, 8, "%s: nights", what);
	tap_str(track_history_points(h, 0)[7].config, config, "%s", what);
	track_history_free(h);
}

/* What failed later in the same run was no result: not of the run, and not as its winner. */
static void test_withdrawn(void)
{
	const char *path = rows_path("withdrawn.db");
	struct db *d = nights_open(path);
	struct rng rng;

	rng_init(&rng, 16);
	for (size_t i = 0; i < 8; i++)
		night_add(d, "p", &usual, &rng);
	tap_int(rows_ask(path,
			 "INSERT INTO final(run_id, implementation_id, config_hash, config_key, "
			 "median_ns, ratio, n_samples, tied, winner) SELECT run_id, "
			 "implementation_id, config_hash, config_key, median_ns, 1, 3, 1, "
			 "1 FROM trial WHERE run_id = 8 AND config_key = 'B=2'"),
		0, "finals");
	check_won(path, d, "B=2", "the run's winner");
	night_add_trial(d, 8, &(struct point){0}, &rows_implementation, "B=2", -1);
	check_won(path, d, "B=1", "which failed later in that run");
	night_add_trial(d, 8, &(struct point){0}, &rows_implementation, "B=2", 1.6e5);
	check_won(path, d, "B=2", "passed still later");
	int64_t run;

	if (db_begin_run(d, &rows_device,
			 &(struct db_problem){.workload = "sdpa",
					      .operator_name = "attention",
					      .workload_hash = "h1",
					      .problem = "p",
					      .problem_key = "p1",
					      .dims_json = "{}"},
			 &rows_run, &run, &e))
		tap_ok(false, "%s", e.text);
	rows_add_trial(d, run, "B=2", RESULT_WRONG, 0);
	struct track_history *h = nights_track(path, d);

	tap_str(track_verdict_name(h->list[0].verdict), "undecided",
		"failed in a run without an end");
	tap_has(h->list[0].doubt ? h->list[0].doubt : "",
		"B=2, which won in the newest run, was wrong since", "the reason");
	track_history_free(h);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_stories();
	test_turns();
	test_cut_short();
	test_acknowledgement();
	test_toolchain();
	test_machines();
	test_replaced();
	test_dates();
	test_withdrawn();
	rows_leave();
	return tap_done();
}
