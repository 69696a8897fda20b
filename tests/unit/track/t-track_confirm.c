/* What measuring a suspect again comes to: figures of sessions that are written down here, and what
 * is recorded of them in a history.
 * covers: track_confirm.c query_verdict.c */
#include "reports/track/track_confirm.h"

#include <math.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_history.h"
#include "reports/track/track_series.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"

static struct asc_err e;

struct row { /* the history says 100 us before, 105 us now */
	const char *name;
	double before_us, after_us; /* measured again */
	double half_width;          /* of the ratio's interval */
	bool gone, same, unsteady;  /* gone: the artifact of before */
	const char *reason;
	enum track_finding finding;
	const char *text; /* part of it */
};

static const struct row rows[] = {
	{"slower", 100, 105, 0.004, false, false, false, "", TRACK_FINDING_CONFIRMED,
	 "re-measured: +5.0 % (+4.6 .. +5.4)"},
	{"a little slower", 100, 102, 0.004, false, false, false, "", TRACK_FINDING_CONFIRMED,
	 "+2.0 %"},
	{"slower on a busy machine", 130, 137, 0.01, false, false, true, "",
	 TRACK_FINDING_CONFIRMED, "+5.4 %"},
	{"slower, rebuilt", 100, 105, 0.004, true, false, false, "", TRACK_FINDING_CONFIRMED,
	 "so a change of the source does not show"},
	{"slower by more than counts, from less than a tie's margin on", 100, 101.4, 0.011, false,
	 false, false, "", TRACK_FINDING_UNDECIDED, "measured again +1.4 % (+0.3 .. +2.5)"},
	{"all rounds, from less than a tie's margin on", 100, 102.2, 0.036, false, false, true, "",
	 TRACK_FINDING_UNDECIDED, "measured again +2.2 % (-1.4 .. +5.8)"},
	{"less than counts", 100, 100.8, 0.004, false, false, false, "", TRACK_FINDING_EQUAL,
	 "equal within 1.2 %"},
	{"equal", 100, 100, 0.01, false, false, false, "", TRACK_FINDING_EQUAL,
	 "re-measured: equal within 1.0 %"},
	{"equal, rebuilt", 100, 100, 0.01, true, false, false, "", TRACK_FINDING_UNDECIDED,
	 "so a change of the source does not show"},
	{"both slow", 105, 105, 0.01, false, false, false, "", TRACK_FINDING_DEVICE,
	 "the previous winner takes 105 us now, 100 us before"},
	{"both slow while the machine is busy", 105, 105, 0.01, false, false, true, "",
	 TRACK_FINDING_EQUAL, "equal within 1.0 %"},
	{"wide, clear together", 100, 103, 0.04, false, false, true, "", TRACK_FINDING_CONFIRMED,
	 "+3.0 % (+1.0 .. +5.0)"},
	{"wide, too small together", 100, 101.9, 0.03, false, false, true, "",
	 TRACK_FINDING_UNDECIDED, "measured again +1.9 % (-1.1 .. +4.9)"},
	{"wide", 100, 103, 0.08, false, false, false, "", TRACK_FINDING_UNDECIDED,
	 "measured again +3.0 % (-5.0 .. +11.0)"},
	{"faster", 105, 100, 0.01, false, false, true, "", TRACK_FINDING_EQUAL, "equal within"},
	{"one artifact, fast", 100, 100, 0.01, false, true, false, "", TRACK_FINDING_EQUAL,
	 "it is the same artifact"},
	{"one artifact, slow", 105, 105, 0.01, false, true, false, "", TRACK_FINDING_DEVICE,
	 "takes 105 us now"},
	{"one artifact on a busy machine", 105, 105, 0.01, false, true, true, "",
	 TRACK_FINDING_UNDECIDED, "not steady"},
	{"one artifact, rebuilt", 100, 100, 0.01, true, true, false, "", TRACK_FINDING_UNDECIDED,
	 "gone"},
	{"failed", 0, 0, 0, false, false, false, "it crashed", TRACK_FINDING_UNDECIDED,
	 "cannot be measured again: it crashed"},
};

/* The middle session is the row's, the others are nearby. */
static struct confirmation measured(const struct row *r)
{
	struct confirmation c = {.n = *r->reason ? 0 : CONFIRMATION_SESSIONS,
				 .stored = {!r->gone, true},
				 .same = r->same,
				 .unsteady = r->unsteady};

	c.rounds = (struct confirmation_ratio){r->after_us / r->before_us,
					       r->after_us / r->before_us - r->half_width / 2,
					       r->after_us / r->before_us + r->half_width / 2};
	snprintf(c.reason, sizeof c.reason, "%s", r->reason);
	for (size_t k = 0; k < c.n; k++) {
		double off = 1 + 0.0001 * ((double)k - 1), ratio = r->after_us / r->before_us;

		c.sessions[k] = (struct confirmation_session){
			.time = {{.median = 1000 * r->before_us * off},
				 {.median = 1000 * r->after_us * off}},
			.ratio = ratio,
			.interval = {true, ratio - r->half_width * (k == 0),
				     ratio + r->half_width * (k == 2)}};
	}
	return c;
}

static void test_judge(void)
{
	const struct track_suspect x = {
		.why = TRACK_SUSPECT_CHANGE, .before_ns = 100000, .after_ns = 105000};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct confirmation c = measured(&rows[i]);
		struct buf text = {0};
		enum track_finding f = track_confirm_judge(&x, &c, &track_rule_default, &text);

		tap_str(track_finding_name(f), track_finding_name(rows[i].finding), "%s",
			rows[i].name);
		tap_has(buf_str(&text), rows[i].text, "%s: says so", rows[i].name);
		tap_ok(*rows[i].reason ? isnan(track_confirm_ratio(&c))
				       : fabs(track_confirm_ratio(&c) -
					      rows[i].after_us / rows[i].before_us) < 1e-9,
		       "%s: ratio", rows[i].name);
		buf_fini(&text);
	}
}

static const struct row *find_row(const char *name)
{
	const struct row *r = rows;

	while (strcmp(r->name, name) != 0)
		r++;
	return r;
}

/* A change of the source is judged by the rounds alone, a point far off of one artifact never as
 * the device's. */
static void test_judge_others(void)
{
	static const struct {
		const char *name;
		enum track_suspicion why;
		const char *row;
		enum track_finding finding;
	} list[] = {{"source, slower", TRACK_SUSPECT_SOURCE, "slower", TRACK_FINDING_CONFIRMED},
		    {"source, equal", TRACK_SUSPECT_SOURCE, "equal", TRACK_FINDING_EQUAL},
		    {"source, both slow tonight", TRACK_SUSPECT_SOURCE, "both slow",
		     TRACK_FINDING_EQUAL},
		    {"source, wide", TRACK_SUSPECT_SOURCE, "wide", TRACK_FINDING_UNDECIDED},
		    {"source, faster", TRACK_SUSPECT_SOURCE, "faster", TRACK_FINDING_EQUAL},
		    {"a step, slower", TRACK_SUSPECT_STEP, "slower", TRACK_FINDING_CONFIRMED},
		    {"a step, gone", TRACK_SUSPECT_STEP, "equal", TRACK_FINDING_EQUAL},
		    {"a step, the artifact of before", TRACK_SUSPECT_STEP, "one artifact, slow",
		     TRACK_FINDING_EQUAL},
		    {"source, the same artifact", TRACK_SUSPECT_SOURCE, "one artifact, slow",
		     TRACK_FINDING_EQUAL},
		    {"far, slower", TRACK_SUSPECT_FAR, "slower", TRACK_FINDING_CONFIRMED},
		    {"far, one artifact, fast", TRACK_SUSPECT_FAR, "one artifact, fast",
		     TRACK_FINDING_EQUAL},
		    {"far, one artifact, slow", TRACK_SUSPECT_FAR, "one artifact, slow",
		     TRACK_FINDING_UNDECIDED}};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const struct track_suspect x = {
			.why = list[i].why, .before_ns = 100000, .after_ns = 105000};
		struct confirmation c = measured(find_row(list[i].row));
		struct buf text = {0};

		tap_str(track_finding_name(track_confirm_judge(&x, &c, &track_rule_default, &text)),
			track_finding_name(list[i].finding), "%s: %s", list[i].name,
			buf_str(&text));
		buf_fini(&text);
	}
}

/* Regressions that nobody has measured again or acknowledged are wanted, also those that are
 * probably the machine's. */
static void test_wants(void)
{
	const struct track_series s = {.verdict = TRACK_REGRESSION, .metric = TRACK_TIME};
	struct track_series confirmed = s, acknowledged = s, machine = s, metric = s, better = s,
			    baseline = s;
	char reason[] = "known";

	confirmed.again.confirmed = true;
	acknowledged.ack.reason = reason;
	machine.by_machine = true;
	metric.metric = "energy";
	better.verdict = TRACK_IMPROVEMENT;
	baseline.is_baseline = true;
	tap_ok(track_confirm_why(&s) == TRACK_SUSPECT_CHANGE &&
		       track_confirm_why(&machine) == TRACK_SUSPECT_CHANGE,
	       "regressions are suspects");
	tap_ok(!track_confirm_why(&confirmed), "confirmed ones are not");
	tap_ok(!track_confirm_why(&acknowledged), "acknowledged ones are not");
	tap_ok(!track_confirm_why(&baseline), "baselines, which are not counted, are not");
	tap_ok(!track_confirm_why(&metric) && !track_confirm_why(&better),
	       "metrics and improvements are not");
	acknowledged.newest.source_changed = confirmed.newest.source_changed =
		better.newest.source_changed = true;
	tap_ok(track_confirm_why(&acknowledged) == TRACK_SUSPECT_SOURCE &&
		       track_confirm_why(&confirmed) == TRACK_SUSPECT_SOURCE &&
		       track_confirm_why(&better) == TRACK_SUSPECT_SOURCE,
	       "another source is one, whatever is known of the one before");
	better.again.measured = true;
	tap_ok(!track_confirm_why(&better), "another source that was measured again is none");
	better = (struct track_series){
		.verdict = TRACK_UNDECIDED, .metric = TRACK_TIME, .newest.off_pct = 40};
	tap_ok(track_confirm_why(&better) == TRACK_SUSPECT_FAR, "a point far above is one");
	better.newest.off_pct = -40;
	tap_ok(!track_confirm_why(&better), "a point far below is none");
}

/* Measuring again and tracking afterwards fail alike. */
static void test_fails(void)
{
	const struct track_series s = {.verdict = TRACK_REGRESSION};
	struct track_series machine = s;

	machine.by_machine = true;
	tap_ok(track_confirm_fails(&s, TRACK_FINDING_CONFIRMED) &&
		       track_confirm_fails(&s, TRACK_FINDING_DEVICE) &&
		       track_confirm_fails(&machine, TRACK_FINDING_CONFIRMED),
	       "what is slower fails");
	tap_ok(!track_confirm_fails(&machine, TRACK_FINDING_DEVICE),
	       "what is the machine's does not");
	tap_ok(!track_confirm_fails(&s, TRACK_FINDING_EQUAL) &&
		       !track_confirm_fails(&s, TRACK_FINDING_UNDECIDED),
	       "nor what is as fast as before, or open");
}

static void test_names(void)
{
	enum track_finding f;

	tap_ok(track_finding_parse("not reproduced", &f) && f == TRACK_FINDING_EQUAL, "a finding");
	tap_ok(!track_finding_parse("what a newer version says", &f), "none");
}

/* ---- recorded ---- */

enum { NIGHTS = 30 };

static void add_night(struct db *d, const char *config, double ns)
{
	struct result r = rows_result(ns, ns, ns);
	struct db_trial t = rows_trial(config, &r);
	int64_t run;

	memset(r.artifact, config[2], sizeof r.artifact - 1);
	if (db_begin_run(d, &rows_device, &rows_problem, &rows_run, &run, &e) ||
	    db_add_trial(d, run, &t, &e) || db_end_run(d, run, "done", &e))
		tap_ok(false, "%s", e.text);
}

static struct track_history *track(const char *path, struct db *d)
{
	struct track_history *h = NULL;

	rows_ask(path, "UPDATE run SET started_ms = id * 86400000");
	if (track_history_open(d, path, &track_rule_default, &h, &e))
		tap_ok(false, "%s", e.text);
	return h;
}

static void check_state(const char *path, struct db *d, const char *verdict, const char *state,
			const char *what)
{
	struct track_history *h = track(path, d);
	const struct track_series *s = &h->list[0];

	tap_str(track_verdict_name(s->verdict), verdict, "%s: verdict", what);
	tap_str(track_state_name(track_series_state(s)), state, "%s: state", what);
	track_history_free(h);
}

static void record(const char *path, struct db *d, enum track_finding f)
{
	struct track_history *h = track(path, d);
	struct track_suspect x;

	tap_int(track_confirm_find(h, 0, d, &x, &e), ASC_OK, "a suspect");
	tap_str(x.configs[CONFIRMATION_BEFORE], "B=1", "the previous winner");
	tap_str(x.configs[CONFIRMATION_AFTER], "B=2", "what wins now");
	tap_str(x.artifacts[CONFIRMATION_BEFORE], "11111111111111111111111111111111",
		"artifact before");
	tap_str(x.artifacts[CONFIRMATION_AFTER], "22222222222222222222222222222222",
		"artifact after");
	tap_int(x.run_id, NIGHTS + 1, "since when");
	tap_int(track_confirm_record(&x, f, 1.05, "a `note` | <b>", d, &e), ASC_OK, "recorded");
	track_history_free(h);
}

static void test_record(void)
{
	const char *path = rows_path("confirm.db");
	struct db *d = NULL;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	for (int i = 0; i < NIGHTS + 3; i++)
		add_night(d, i < NIGHTS ? "B=1" : "B=2",
			  (i < NIGHTS ? 1e5 : 1.05e5) + i * 7919 % 1000);
	check_state(path, d, "regression", "new", "before");
	record(path, d, TRACK_FINDING_EQUAL);
	check_state(path, d, "unchanged", "not reproduced", "not reproduced");
	record(path, d, TRACK_FINDING_UNDECIDED);
	check_state(path, d, "undecided", "", "not decided");
	rows_ask(path, "UPDATE verdict SET made_ms = 1");
	check_state(path, d, "regression", "new", "a night later");
	record(path, d, TRACK_FINDING_DEVICE);
	struct track_history *h = track(path, d);

	tap_str(track_cause_name(h->list[0].cause), "device or driver changed", "the device");
	tap_str(h->list[0].again.note, "a `note` | <b>", "the note");
	tap_ok(!track_confirm_why(&h->list[0]), "no need to measure it again");
	track_history_free(h);
	rows_ask(path, "UPDATE verdict SET made_ms = 1");
	check_state(path, d, "regression", "confirmed", "what is confirmed stays");
	rows_ask(path, "UPDATE verdict SET kind = 'of a newer version'");
	check_state(path, d, "regression", "new", "a finding that is not known");
	tap_int(rows_ask(path, "SELECT count(*) FROM verdict"), 1, "one verdict for a change");
	tap_int(db_put_verdict(d,
			       &(struct db_verdict){.implementation = "blocked",
						    .figure = "time_ns",
						    .kind = "confirmed",
						    .run_id = 999},
			       &e),
		ASC_NOTFOUND, "of no run: %s", e.text);
	db_close(d);
}

/* ---- another source ---- */

static const struct db_implementation edited = {.name = "blocked", .index = 2, .key = "k2"};

static void add_edited(struct db *d, double ns)
{
	struct result r = rows_result(ns, ns, ns);
	struct db_trial t = rows_trial("B=1", &r);
	struct db_run run = rows_run;
	int64_t id;

	run.implementations = &edited;
	t.implementation = edited;
	if (db_begin_run(d, &rows_device, &rows_problem, &run, &id, &e) ||
	    db_add_trial(d, id, &t, &e) || db_end_run(d, id, "done", &e))
		tap_ok(false, "%s", e.text);
}

static void judge_newest(const char *path, struct db *d, enum track_finding f, double ratio)
{
	struct track_history *h = track(path, d);
	const size_t n = h->list[0].n;
	struct track_suspect x;

	tap_int(track_confirm_why(&h->list[0]), TRACK_SUSPECT_SOURCE, "another source");
	if (track_confirm_find(h, 0, d, &x, &e) ||
	    track_confirm_record(&x, f, ratio, "re-measured", d, &e))
		tap_ok(false, "%s", e.text);
	tap_ok(x.before_ns < 1.2e5 && fabs(x.after_ns - h->points[n - 1].ns) < 1,
	       "its neighbours are compared");
	track_history_free(h);
}

/* Four nights are too few for a change point; rounds beside the old artifact need none. What comes
 * later does not hide the change: a night that happens to be fast, a comment. What takes it back
 * does. */
static void test_source(void)
{
	const char *path = rows_path("source.db");
	struct db *d = NULL;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	for (int i = 0; i < 4; i++)
		add_night(d, "B=1", 1e5 + i);
	add_edited(d, 1.1e5);
	check_state(path, d, "undecided", "", "before the rounds");
	judge_newest(path, d, TRACK_FINDING_CONFIRMED, 1.08);
	check_state(path, d, "regression", "confirmed", "by the rounds");
	struct track_history *h = track(path, d);
	const struct track_series *s = &h->list[0];

	tap_ok(track_series_fails(s) && s->index == 4 && fabs(s->change_pct - 8) < 1e-9,
	       "it fails, at its place, by the figure of the rounds");
	tap_str(track_cause_name(s->cause), "source or toolchain changed", "its cause");
	tap_ok(!track_confirm_why(s), "it was measured again");
	track_history_free(h);

	add_edited(d, 1e5);
	check_state(path, d, "regression", "confirmed", "after a fast night");
	rows_ask(path, "UPDATE verdict SET kind = 'not reproduced', ratio = 1");
	check_state(path, d, "undecided", "", "rounds that found it equal");
	rows_ask(path, "UPDATE verdict SET kind = 'confirmed', ratio = 1.08");
	add_night(d, "B=1", 1.01e5);
	judge_newest(path, d, TRACK_FINDING_EQUAL, 0.93);
	check_state(path, d, "unchanged", "", "taken back");
	for (int i = 0; i < 3; i++)
		add_night(d, "B=1", 1e5);
	check_state(path, d, "unchanged", "", "taken back for good");
	db_close(d);
}

/* ---- slow-downs one after the other ---- */

static void add_source(struct db *d, const char *key, double ns)
{
	const struct db_implementation source = {.name = "blocked", .index = 2, .key = key};
	struct result r = rows_result(ns, ns, ns);
	struct db_trial t = rows_trial("B=1", &r);
	struct db_run run = rows_run;
	int64_t id;

	run.implementations = &source;
	t.implementation = source;
	if (db_begin_run(d, &rows_device, &rows_problem, &run, &id, &e) ||
	    db_add_trial(d, id, &t, &e) || db_end_run(d, id, "done", &e))
		tap_ok(false, "%s", e.text);
}

/* Records what rounds beside the night before say of the newest run, and, where a slow-down stands,
 * those beside what was before it; `from` is the first run of that, 0: none is asked for. */
static void measure_newest(const char *path, struct db *d, enum track_finding f, double ratio,
			   int64_t from, enum track_finding of_step, double step_ratio)
{
	struct track_history *h = track(path, d);
	struct track_suspect x;
	bool found;

	if (track_confirm_find(h, 0, d, &x, &e) ||
	    track_confirm_record(&x, f, ratio, "beside the night before", d, &e) ||
	    track_confirm_find_step(h, 0, d, &x, &found, &e))
		tap_ok(false, "%s", e.text);
	rows_ask(path, "UPDATE verdict SET made_ms = made_ms - 1000"); /* rounds take their time */
	tap_int(found ? x.run_id : 0, from, "the slow-down that is measured again");
	if (found && track_confirm_record(&x, of_step, step_ratio, "beside the first", d, &e))
		tap_ok(false, "%s", e.text);
	track_history_free(h);
}

/* Eight nights, +10 % for two, doubled for one. */
static void stack(const char *path, struct db *d)
{
	for (int i = 0; i < 8; i++)
		add_source(d, "k1", 1e5 + i * 7919 % 300);
	add_source(d, "k2", 1.1e5);
	measure_newest(path, d, TRACK_FINDING_CONFIRMED, 1.187, 0, 0, 0);
	add_source(d, "k2", 1.1e5);
	add_source(d, "k3", 2e5);
	measure_newest(path, d, TRACK_FINDING_CONFIRMED, 1.889, 9, TRACK_FINDING_CONFIRMED, 2.05);
	check_state(path, d, "regression", "confirmed", "doubled");
}

static void test_stacked(void)
{
	const char *path = rows_path("stacked.db");
	struct db *d = NULL;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	stack(path, d);
	struct track_history *h = track(path, d);

	tap_ok(h->list[0].index == 10 && fabs(h->list[0].change_pct - 88.9) < 1e-9,
	       "the newest slow-down, with its own figure");
	tap_str(h->list[0].again.note, "beside the night before", "and its own note");
	track_history_free(h);
	add_source(d, "k1", 1.001e5);
	check_state(path, d, "unchanged", "", "the first source again, not measured yet");
	measure_newest(path, d, TRACK_FINDING_EQUAL, 0.515, 0, 0, 0);
	for (int i = 0; i < 6; i++) {
		check_state(path, d, "unchanged", "", "the first source again");
		rows_ask(path, "UPDATE verdict SET made_ms = made_ms - 1000000000000");
		add_source(d, "k1", 1e5 + i * 7919 % 300);
	}
	db_close(d);
}

/* A third source is as fast as the first one, or half of the way: rounds beside the first decide,
 * not the product of the others. */
static void test_mended(void)
{
	static const struct {
		const char *name;
		double ns, ratio;
		enum track_finding finding;
		const char *verdict;
	} list[] = {{"mended", 1e5, 1.003, TRACK_FINDING_EQUAL, "unchanged"},
		    {"half mended", 1.1e5, 1.1, TRACK_FINDING_CONFIRMED, "regression"}};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const char *path = rows_path(list[i].name);
		struct db *d = NULL;

		if (db_open(path, DB_WRITE, &d, &e))
			tap_ok(false, "%s", e.text);
		stack(path, d);
		add_source(d, "k4", list[i].ns);
		measure_newest(path, d, TRACK_FINDING_EQUAL, 0.53, 9, list[i].finding,
			       list[i].ratio);
		struct track_history *h = track(path, d);
		const struct track_series *s = &h->list[0];

		tap_str(track_verdict_name(s->verdict), list[i].verdict, "%s", list[i].name);
		tap_ok(s->verdict != TRACK_REGRESSION || fabs(s->change_pct - 10) < 0.5,
		       "%s: by the direct comparison: %g %%", list[i].name, s->change_pct);
		tap_has(s->again.note, "beside the", "%s: with a figure of the newest night: %s",
			list[i].name, s->again.note ? s->again.note : "");
		track_history_free(h);
		add_source(d, "k4", list[i].ns);
		check_state(path, d, list[i].verdict,
			    list[i].finding == TRACK_FINDING_EQUAL ? "" : "confirmed",
			    "a night later");
		db_close(d);
	}
}

/* A night that is slow for the new source and for the old artifact is one verdict: undecided. */
static void test_slow_night(void)
{
	const char *path = rows_path("night.db");
	struct db *d = NULL;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	for (int i = 0; i < 12; i++)
		add_source(d, "k1", 1e5 + i * 7919 % 300);
	add_source(d, "k2", 1.6e5);
	measure_newest(path, d, TRACK_FINDING_EQUAL, 1.001, 0, 0, 0);
	struct track_history *h = track(path, d);

	tap_int(h->list[0].verdict, TRACK_UNDECIDED, "a slow night of both sources is undecided");
	tap_str(track_state_name(track_series_state(&h->list[0])), "", "and nothing else");
	tap_has(h->list[0].doubt, "equal beside the old artifact", "which is said");
	track_history_free(h);
	db_close(d);
}

/* What cannot tell neither replaces a confirmed finding nor hides it; nor do rounds of a run before
 * it. */
static void test_confirmed_stays(void)
{
	const char *path = rows_path("stays.db");
	struct db *d = NULL;
	struct track_suspect x;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	for (int i = 0; i < 3; i++)
		add_source(d, "k1", 1e5);
	add_source(d, "k2", 2.1e5);
	measure_newest(path, d, TRACK_FINDING_CONFIRMED, 2.1, 0, 0, 0);
	struct track_history *h = track(path, d);

	x = (struct track_suspect){.series = &h->list[0], .run_id = 4};
	tap_int(track_confirm_record(&x, TRACK_FINDING_UNDECIDED, 1, "rebuilt", d, &e), ASC_OK,
		"one that cannot tell is no error");
	tap_int(rows_ask(path, "SELECT count(*) FROM verdict WHERE kind = 'confirmed' AND ratio > 2"
			       " AND note = 'beside the night before'"),
		1, "and replaces nothing");
	x.run_id = 2;
	if (track_confirm_record(&x, TRACK_FINDING_EQUAL, 1, "of an earlier run", d, &e))
		tap_ok(false, "%s", e.text);
	track_history_free(h);
	check_state(path, d, "regression", "confirmed", "confirmed");
	add_source(d, "k2", 2.1e5);
	check_state(path, d, "regression", "confirmed", "the next night");
	db_close(d);
}

/* What another source is measured beside is the night before, though it was not steady. */
static void test_source_after_unsteady(void)
{
	const char *path = rows_path("unsteady.db");
	struct db *d = NULL;
	struct track_suspect x;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	add_night(d, "B=1", 1e5);
	add_edited(d, 1.1e5);
	rows_ask(path, "UPDATE run SET steady_json = '{\"unsteady\":true}' WHERE id = 1");
	struct track_history *h = track(path, d);

	tap_int((int64_t)h->list[0].n, 2, "the night before stays");
	tap_int(track_confirm_why(&h->list[0]), TRACK_SUSPECT_SOURCE, "another source");
	tap_int(track_confirm_find(h, 0, d, &x, &e), ASC_OK, "is found");
	tap_ok(fabs(x.before_ns - 1e5) < 1, "beside the night before: %g", x.before_ns);
	tap_str(x.configs[CONFIRMATION_BEFORE], "B=1", "with its configuration");
	track_history_free(h);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_source_after_unsteady();
	test_judge();
	test_judge_others();
	test_source();
	test_stacked();
	test_mended();
	test_confirmed_stays();
	test_slow_night();
	test_wants();
	test_fails();
	test_names();
	test_record();
	rows_leave();
	return tap_done();
}
