/* Generated nights in a database: what happened is planted, and told apart. */
#include "reports/track/track_history.h"

#include <stdio.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_known.h"
#include "reports/track/track_write.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/rng.h"

static struct asc_err e;

enum { NIGHTS = 60 };

struct night { /* what a run is to find; zero: as always */
	const char *driver, *fingerprint, *code;
	double ns_1, ns_2; /* of configurations B=1 and B=2; 0: not tried, below 0: build_failed */
	bool unsteady;
};

static const struct night usual = {"6.1", "f1", "k1", 100000, 150000, false};

static void add_trial(struct db *d, int64_t run, const char *code, const char *key, double ns)
{
	struct result r = rows_result(ns, ns, ns);
	struct db_trial t = rows_trial(key, &r);

	t.implementation.key = code;
	if (ns < 0) {
		r.status = RESULT_BUILD_FAILED;
		r.phase = PHASE_BUILD;
		r.n_samples = 0;
		r.time = (struct stats_summary){0};
	}
	if (ns != 0 && db_add_trial(d, run, &t, &e))
		tap_ok(false, "%s", e.text);
}

static void add_night(struct db *d, const char *problem, const struct night *n, struct rng *rng)
{
	struct db_device device = rows_device;
	struct db_problem p = rows_problem;
	struct db_implementation i = rows_implementation;
	struct db_run r = rows_run;
	int64_t run = 0;

	device.driver = n->driver;
	device.fingerprint = n->fingerprint;
	p.problem = problem;
	i.key = n->code;
	r.implementations = &i;
	if (db_begin_run(d, &device, &p, &r, &run, &e))
		tap_ok(false, "%s", e.text);
	add_trial(d, run, n->code, "B=1", n->ns_1 * (1 + 0.01 * rng_normal(rng)));
	add_trial(d, run, n->code, "B=2", n->ns_2 * (1 + 0.01 * rng_normal(rng)));
	if (n->unsteady)
		db_set_steady(d, run, "{\"unsteady\":true}", &e);
}

/* Runs start at their number's day, whatever the clock says. */
static struct track_history *track(const char *path, struct db **d)
{
	struct track_history *h = NULL;

	rows_ask(path, "UPDATE run SET started_ms = id * 86400000");
	if (!*d && db_open(path, DB_WRITE, d, &e))
		tap_ok(false, "%s", e.text);
	if (track_history_open(*d, path, &track_rule_default, &h, &e))
		tap_ok(false, "%s", e.text);
	return h;
}

struct story {
	const char *name;
	struct night then; /* the newest nights */
	size_t nights;     /* so many of them */
	size_t after;      /* and so many as always behind them */
	enum track_verdict verdict;
	enum track_cause cause;
	const char *why; /* part of it */
};

static const struct story stories[] = {
	{"nothing", {"6.1", "f1", "k1", 100000, 150000, false}, 3, 0, TRACK_UNCHANGED, 0, NULL},
	{"slower",
	 {"6.1", "f1", "k1", 106000, 159000, false},
	 4,
	 0,
	 TRACK_REGRESSION,
	 TRACK_CAUSE_SLOWER,
	 NULL},
	{"faster",
	 {"6.1", "f1", "k1", 94000, 150000, false},
	 4,
	 0,
	 TRACK_IMPROVEMENT,
	 TRACK_CAUSE_SLOWER,
	 NULL},
	{"one night",
	 {"6.1", "f1", "k1", 130000, 150000, false},
	 1,
	 0,
	 TRACK_UNDECIDED,
	 0,
	 "one more will tell"},
	{"one night past",
	 {"6.1", "f1", "k1", 130000, 150000, false},
	 1,
	 3,
	 TRACK_UNCHANGED,
	 0,
	 NULL},
	{"throttled",
	 {"6.1", "f1", "k1", 130000, 195000, true},
	 1,
	 0,
	 TRACK_UNDECIDED,
	 0,
	 "not steady"},
	{"throttled past",
	 {"6.1", "f1", "k1", 130000, 195000, true},
	 2,
	 2,
	 TRACK_UNCHANGED,
	 0,
	 NULL},
	{"new driver",
	 {"7.0", "f2", "k1", 108000, 150000, false},
	 4,
	 0,
	 TRACK_REGRESSION,
	 TRACK_CAUSE_DEVICE,
	 "driver 7.0, was 6.1"},
	{"new source",
	 {"6.1", "f1", "k2", 108000, 150000, false},
	 4,
	 0,
	 TRACK_REGRESSION,
	 TRACK_CAUSE_CODE,
	 "source or tool chain"},
	{"other winner",
	 {"6.1", "f1", "k1", 100000, 80000, false},
	 4,
	 0,
	 TRACK_IMPROVEMENT,
	 TRACK_CAUSE_CONFIGURATION,
	 "B=2 won; B=1 takes"},
	{"winner slower",
	 {"6.1", "f1", "k1", 190000, 150000, false},
	 4,
	 0,
	 TRACK_REGRESSION,
	 TRACK_CAUSE_SLOWER,
	 "B=2 won; B=1 takes"},
	{"winner fails",
	 {"6.1", "f1", "k1", -1, 150000, false},
	 4,
	 0,
	 TRACK_REGRESSION,
	 TRACK_CAUSE_CONFIGURATION,
	 "B=1 is now build_failed"},
	{"winner missing",
	 {"6.1", "f1", "k1", 0, 150000, false},
	 4,
	 0,
	 TRACK_REGRESSION,
	 TRACK_CAUSE_CONFIGURATION,
	 "B=1 was not tried again"},
};

enum { STORIES = sizeof stories / sizeof *stories };

static const struct track_series *find(const struct track_history *h, const char *problem)
{
	for (size_t k = 0; k < h->n; k++)
		if (strcmp(h->list[k].problem, problem) == 0)
			return &h->list[k];
	return NULL;
}

static void write_stories(struct db *d)
{
	struct rng rng;

	rng_init(&rng, 7);
	for (size_t k = 0; k < STORIES; k++) {
		const struct story *s = &stories[k];

		for (size_t i = 0; i < NIGHTS; i++)
			add_night(d, s->name, &usual, &rng);
		for (size_t i = 0; i < s->nights; i++)
			add_night(d, s->name, &s->then, &rng);
		for (size_t i = 0; i < s->after; i++)
			add_night(d, s->name, &usual, &rng);
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
		tap_has(found->why ? found->why : "", s->why, "%s: why", s->name);
	if (found->changed)
		tap_int(found->index, NIGHTS, "%s: since when", s->name);
}

static enum asc_status see_turn(void *user, const struct db_turn *t, struct asc_err *err)
{
	(void)err;
	buf_print(user, "%s %s %s %s;", t->problem,
		  t->config_key ? t->config_key : t->implementation, t->was, t->is);
	return ASC_OK;
}

static void test_stories(void)
{
	const char *path = rows_path("stories.db");
	struct db *d = NULL;
	struct buf turns = {0};

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	write_stories(d);
	struct track_history *h = track(path, &d);

	tap_int(h->n, STORIES, "series");
	for (size_t k = 0; k < STORIES; k++)
		check_story(&stories[k], find(h, stories[k].name));
	tap_int(db_each_turn(d, see_turn, &turns, &e), ASC_OK, "turns");
	tap_str(buf_str(&turns), "", "nothing turned in the newest night");
	buf_fini(&turns);
	track_history_free(h);
	db_close(d);
}

static void test_turns(void)
{
	const char *path = rows_path("turns.db");
	struct night broken = usual;
	struct db *d = NULL;
	struct buf turns = {0};
	struct rng rng;

	rng_init(&rng, 8);
	broken.ns_2 = -1;
	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	add_night(d, "p", &usual, &rng);
	add_night(d, "p", &broken, &rng);
	add_night(d, "q", &broken, &rng);
	add_night(d, "q", &usual, &rng);
	add_night(d, "r", &usual, &rng);
	broken.ns_1 = -1;
	add_night(d, "r", &broken, &rng);
	track_history_free(track(path, &d));
	tap_int(db_each_turn(d, see_turn, &turns, &e), ASC_OK, "turns");
	tap_str(buf_str(&turns),
		"p B=2 ok build_failed;q B=2 build_failed ok;"
		"r blocked measured failed;r B=1 ok build_failed;r B=2 ok build_failed;",
		"both ways, and a whole implementation");
	buf_fini(&turns);
	db_close(d);
}

static void test_acknowledgement(void)
{
	const char *path = rows_path("ack.db");
	const char *name = "cpu: Model 1 sdpa/p blocked hot";
	struct night slower = usual, worse = usual;
	struct db *d = NULL;
	struct rng rng;

	slower.ns_1 = 106000;
	worse.ns_1 = 118000;
	rng_init(&rng, 9);
	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	for (size_t i = 0; i < NIGHTS + 4; i++)
		add_night(d, "p", i < NIGHTS ? &usual : &slower, &rng);
	struct track_history *h = track(path, &d);

	tap_int(track_known_acknowledge(h, d, "other", "why", 1000, &e), ASC_NOTFOUND,
		"no such series: %s", e.text);
	tap_int(track_known_acknowledge(h, d, name, "known | `thing`", 3600 * 1000, &e), ASC_OK,
		"acknowledged");
	track_history_free(h);
	h = track(path, &d);
	tap_str(h->list[0].acknowledged, "known | `thing`", "and it says so");
	tap_int(track_series_count(h->list, h->n).acknowledged, 1, "and it is counted");
	track_history_free(h);
	for (size_t i = 0; i < 6; i++)
		add_night(d, "p", &worse, &rng);
	h = track(path, &d);
	tap_str(track_verdict_name(h->list[0].verdict), "regression", "a further change");
	tap_ok(!h->list[0].acknowledged, "is new");
	track_history_free(h);
	db_close(d);
	d = NULL;
	rows_ask(path, "DELETE FROM trial WHERE run_id > 64");
	rows_ask(path, "UPDATE acknowledgement SET until_ms = 1");
	h = track(path, &d);
	tap_str(track_verdict_name(h->list[0].verdict), "regression", "it is there again");
	tap_ok(!h->list[0].acknowledged, "an acknowledgement expires");
	track_history_free(h);
	db_close(d);
}

/* Hundreds of series of noise: none may be called, and one planted change must be. */
static void test_many(void)
{
	enum { SERIES = 300 };
	static struct track_series list[SERIES];
	static double values[SERIES][100];
	struct rng rng;

	rng_init(&rng, 10);
	for (size_t k = 0; k < SERIES; k++) {
		for (size_t i = 0; i < 100; i++)
			values[k][i] = (k == 7 && i >= 97 ? 105 : 100) + rng_normal(&rng);
		list[k] = (struct track_series){.name = "s", .values = values[k], .n = 100};
		track_series_judge(&list[k], &track_rule_default, &e);
	}
	track_series_control(list, SERIES, &track_rule_default, &e);
	tap_int(list[7].verdict, TRACK_REGRESSION, "the planted change is called");
	tap_ok(track_series_count(list, SERIES).of[TRACK_REGRESSION] <= 2, "and hardly another");
	for (size_t k = 0; k < SERIES; k++)
		track_series_fini(&list[k]);
}

static size_t nights_until_called(struct rng *rng, size_t history)
{
	double values[400];

	for (size_t i = 0; i < history + 6; i++)
		values[i] = (i < history ? 100 : 105) * (1 + 0.01 * rng_normal(rng));
	for (size_t seen = 1; seen <= 6; seen++) {
		struct track_series s = {.name = "s", .values = values, .n = history + seen};

		track_series_judge(&s, &track_rule_default, &e);
		bool called = s.verdict == TRACK_REGRESSION;

		track_series_fini(&s);
		if (called)
			return seen;
	}
	return 7;
}

static void test_delay(void)
{
	size_t late = 0, very_late = 0;
	struct rng rng;

	rng_init(&rng, 11);
	for (size_t k = 0; k < 60; k++) {
		size_t n = nights_until_called(&rng, k % 2 ? 60 : 364);

		late += n > 2;
		very_late += n > 3;
	}
	tap_ok(late < 30, "5 %% in 1 %% noise: called after two nights in the median (%zu later)",
	       late);
	tap_int(very_late, 0, "and after three at most");
}

/* Names that mean something to a format are shown as text. */
static void test_writers(void)
{
	double values[60];
	struct track_series s = {.name = "a|b `c` <script>\n]]> \"&'@x", .n = 60, .values = values};
	struct buf out = {0};

	for (size_t i = 0; i < 60; i++)
		values[i] = (i < 56 ? 100 : 120) + (double)(i * 7 % 5) / 10;
	track_series_judge(&s, &track_rule_default, &e);
	track_write_markdown(&s, 1, &out);
	tap_has(buf_str(&out),
		"| regression (new) | a\\|b \\`c\\` &lt;script&gt; \\]\\]&gt; \"&amp;'&#64;x |",
		"Markdown");
	buf_clear(&out);
	track_write_junit(&s, 1, &out);
	tap_has(buf_str(&out), "name=\"a|b `c` &lt;script&gt;&#10;]]&gt; &quot;&amp;&apos;@x\"",
		"JUnit");
	buf_clear(&out);
	track_write_annotations(&s, 1, &out);
	tap_has(buf_str(&out), "::error title=regression::a|b `c` <script>%0A]]> \"&'@x: +",
		"GitHub");
	buf_fini(&out);
	track_series_fini(&s);
}

int main(void)
{
	rows_enter();
	test_stories();
	test_turns();
	test_acknowledgement();
	test_many();
	test_delay();
	test_writers();
	rows_leave();
	return tap_done();
}
