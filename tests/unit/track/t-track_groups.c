/* The order of series, their groups and counts: nights that were made here, so what is expected is
 * arithmetic.
 * covers: track_groups.c */
#include "reports/track/track_groups.h"

#include <stdio.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_history.h"
#include "reports/track/track_known.h"
#include "tests/tap.h"
#include "tests/unit/db/points.h"
#include "tests/unit/track/groups.h"

static struct asc_err e;

enum { NIGHTS = 20 };

struct story { /* the last nights of a problem; factors as in night_add_beside() */
	const char *problem;
	double kernel, baseline; /* baseline 0: none was measured */
	size_t nights;           /* changed ones */
	const char *driver;      /* of these; NULL: as always */
};

static void date(const char *path, int64_t run, size_t day)
{
	char sql[100];

	snprintf(sql, sizeof sql, "UPDATE run SET started_ms = %zu * 86400000 WHERE id = %d", day,
		 (int)run);
	rows_ask(path, sql);
}

static void add(struct db *d, const char *path, const struct story *s)
{
	struct rng rng;

	rng_init(&rng, 17);
	for (size_t i = 0; i < NIGHTS; i++) {
		const bool late = i + s->nights >= NIGHTS;
		const struct point then = {.driver = late ? s->driver : NULL,
					   .fingerprint = late ? s->driver : NULL,
					   .ns_1 = late ? 1e5 * s->kernel : 0};

		date(path,
		     s->baseline != 0 ? night_add_beside(d, s->problem, &then, late ? s->kernel : 1,
							 late ? s->baseline : 1, &rng)
				      : night_add(d, s->problem, &then, &rng),
		     i + 1);
	}
}

/* Two problems with one new driver, two more whose baselines slowed with it, too; two whose
 * baseline slowed alike; one that slowed alone; baselines that slowed alone and broke, one with its
 * kernel; one that got faster, one with its baseline.
 */
static const struct story stories[] = {
	{"d1", 1.25, 0, 4, "7.0"}, {"d2", 1.3, 0, 4, "7.0"},     {"d3", 1.2, 1.2, 4, "7.0"},
	{"m1", 1.2, 1.2, 4, NULL}, {"m2", 1.3, 1.3, 4, NULL},    {"own", 1.4, 1, 4, NULL},
	{"late", 1.2, 0, 2, NULL}, {"library", 1, 1.5, 4, NULL}, {"broken", 1, -1, 1, NULL},
	{"lost", -1, -1, 1, NULL}, {"d4", 1.15, 1.15, 4, "7.0"}, {"quick", 0.8, 0.8, 4, NULL},
	{"good", 0.7, 0, 4, NULL}, {"same", 1, 1, 4, NULL}};

static struct track_history *open_stories(const char *path, struct db *d)
{
	struct track_history *h = NULL;
	struct rng rng;
	static const struct point usual;

	for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
		add(d, path, &stories[i]);
	rng_init(&rng, 1);
	date(path, night_add(d, "young", &usual, &rng), NIGHTS);
	if (track_history_open(d, path, &track_rule_default, &h, &e))
		tap_ok(false, "%s", e.text);
	return h;
}

static const struct track_series *find(const struct track_history *h, const char *problem,
				       const char *implementation)
{
	for (size_t k = 0; k < h->n; k++)
		if (strcmp(h->list[k].problem, problem) == 0 &&
		    strcmp(h->list[k].implementation, implementation) == 0)
			return &h->list[k];
	tap_ok(false, "%s %s is there", problem, implementation);
	return h->list;
}

/* Baselines, what they say of a change, and what fails. */
static void test_controls(const struct track_history *h)
{
	const char *kernel = rows_implementation.name;
	const struct {
		const char *problem, *implementation;
		enum track_state state;
		bool is_baseline, by_machine, fails;
	} cases[] = {{"d1", kernel, TRACK_STATE_NEW, false, false, true},
		     {"d3", kernel, TRACK_STATE_NEW, false, false, true},
		     {"d3", "library", TRACK_STATE_NEW, true, false, false},
		     {"m1", kernel, TRACK_STATE_MACHINE, false, true, false},
		     {"m1", "library", TRACK_STATE_NEW, true, false, false},
		     {"own", kernel, TRACK_STATE_NEW, false, false, true},
		     {"own", "library", TRACK_STATE_NONE, true, false, false},
		     {"library", kernel, TRACK_STATE_NONE, false, false, false},
		     {"library", "library", TRACK_STATE_NEW, true, false, false},
		     {"broken", "library", TRACK_STATE_NONE, true, false, true},
		     {"good", kernel, TRACK_STATE_NONE, false, false, false}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct track_series *s = find(h, cases[i].problem, cases[i].implementation);
		const char *name = s->name;

		tap_str(track_state_name(track_series_state(s)), track_state_name(cases[i].state),
			"%s: state", name);
		tap_int(s->is_baseline, cases[i].is_baseline, "%s: a baseline", name);
		tap_int(s->by_machine, cases[i].by_machine, "%s: probably the machine", name);
		tap_int(track_series_fails(s), cases[i].fails, "%s: fails", name);
	}
	const struct track_series *m1 = find(h, "m1", kernel), *d3 = find(h, "d3", kernel);

	tap_ok(m1->baseline == find(h, "m1", "library"), "a kernel has its baseline");
	tap_real(m1->control.baseline_pct, 20, 1, "which changed by 20 %%");
	tap_ok(d3->control.shared, "a baseline that slowed with the driver is a control, too");
	tap_ok(!find(h, "d1", kernel)->baseline, "no baseline was measured");
	tap_ok(track_series_is_skipped(m1) &&
		       track_series_is_skipped(find(h, "library", "library")) &&
		       !track_series_is_skipped(find(h, "own", kernel)) &&
		       !track_series_is_skipped(find(h, "same", kernel)),
	       "what is slower and does not fail is skipped");
}

/* Problems in the order of the groups, those of one finding in brackets. */
static void test_order(const struct track_groups *g)
{
	char text[400] = "";
	size_t at = 0;

	for (size_t i = 0, n; i < g->n && g->list[i].listed; i += n) {
		n = track_groups_size(g, i);
		at += (size_t)snprintf(text + at, sizeof text - at, "%s", n > 1 ? "[" : "");
		for (size_t k = i; k < i + n; k++) {
			const struct track_series *s = g->list[k].series;

			tap_int((long long)g->list[k].finding, (long long)g->list[i].finding,
				"%s: number of the finding", s->problem);
			at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", s->problem,
					       k + 1 < i + n ? " "
					       : n > 1       ? "] "
							     : " ");
		}
		tap_ok(i == 0 || g->list[i].finding == g->list[i - 1].finding + 1,
		       "findings are numbered in their order");
		if (g->list[i].series->verdict == TRACK_REGRESSION &&
		    !g->list[i + n].listed) /* those of baselines follow */
			break;
	}
	tap_str(text, "broken [lost lost] late [d2 d1 d3 d4] own [m2 m1] ", "order and groups");
	tap_int((long long)track_groups_size(g, 0), 1, "a finding of its own");
	tap_ok(!g->list[1].cause, "what broke of one problem needs no cause");
	tap_str(g->list[4].cause, "driver 7.0, was 6.1", "the cause of a group");
	tap_str(g->list[9].cause, "probably the machine", "of another");
}

static void test_counts(const struct track_groups *g)
{
	const struct track_counts *c = &g->counts;

	tap_int((long long)c->of[TRACK_BROKEN], 3, "broken baselines are counted");
	tap_int((long long)c->of[TRACK_REGRESSION], 8, "slower ones, without baselines");
	tap_int((long long)c->reasons, 4, "for four reasons");
	tap_int((long long)c->by_machine[TRACK_REGRESSION], 2, "two by the machine");
	tap_int((long long)c->of[TRACK_IMPROVEMENT], 2, "two faster");
	tap_int((long long)c->of[TRACK_UNCHANGED], 3, "three unchanged");
	tap_int((long long)c->of[TRACK_UNDECIDED], 0, "none undecided");
	tap_int((long long)c->n_short, 1, "one of too few points");
	tap_int((long long)c->baselines, 8, "eight baselines are not counted");
	tap_int((long long)c->metrics[TRACK_REGRESSION], 8, "the energy of eight slower ones");
	tap_int((long long)c->failing, 3 + 2 * 6, "three broken, six slower and their energy");
	tap_int((long long)c->skipped, 2 * 2 + 2 * 5 + 1,
		"two by the machine and five baselines with their energy, one short");
	tap_int((long long)c->uncertain, 2 * 2 + 1, "two by the machine with energy, one short");
}

/* Series that are not told of are in no group, whatever explains them. */
static void test_untold(const struct track_groups *g)
{
	size_t untold = 0;

	for (size_t i = 0; i < g->n; i++) {
		untold += !g->list[i].listed && g->list[i].cause != NULL;
		if (!g->list[i].listed)
			tap_int((long long)track_groups_size(g, i), 1, "%s: by itself",
				g->list[i].series->name);
	}
	tap_ok(untold >= 2, "baselines changed with the driver");
}

/* The history that a kernel's answer is doubtful for. */
static void test_failing(const struct track_history *h)
{
	struct track_kernel k = {.device_kind = rows_device.kind,
				 .device_model = rows_device.model,
				 .workload = rows_problem.workload,
				 .problem = "library",
				 .cache = find(h, "library", "library")->cache};

	tap_ok(!track_history_find_failing(h, &k), "a slower baseline says nothing of a kernel");
	k.implementation = "library";
	tap_ok(track_history_find_failing(h, &k) == find(h, "library", "library"),
	       "but of itself where it is the best");
}

/* The verdicts of measuring again on a change that is probably the machine's. */
static void test_confirmed(const char *path, struct db *d)
{
	struct track_history *h = NULL;
	static const char *const kinds[] = {"device", "confirmed"};

	for (int i = 0; i < 2; i++) {
		rows_ask(path, "DELETE FROM verdict");
		const struct db_verdict v = {
			.implementation = rows_implementation.name,
			.figure = TRACK_TIME,
			.kind = kinds[i],
			.note = "measured",
			.run_id = rows_ask(path, "SELECT r.id FROM run r JOIN problem p"
						 " ON p.id = r.problem_id WHERE p.name = 'm1'"
						 " ORDER BY r.id DESC LIMIT 1"),
			.made_ms = track_known_now_ms()};

		tap_int(db_put_verdict(d, &v, &e), ASC_OK, "a verdict");
		if (track_history_open(d, path, &track_rule_default, &h, &e))
			return;
		const struct track_series *s = find(h, "m1", rows_implementation.name);

		tap_ok(s->again.note && s->again.confirmed, "%s: it is applied", kinds[i]);
		tap_int(track_series_fails(s), i, "%s: %s", kinds[i],
			i ? "the kernel is slower, which fails" : "the machine is");
		track_history_free(h);
	}
}

/* A kernel that was the baseline of another one once is counted: the newest run names its own. */
static void test_former_baseline(void)
{
	const char *path = rows_path("former.db");
	struct db *d = nights_open(path);
	struct db_implementation list[] = {rows_implementation,
					   {.name = "old", .index = 4, .key = "k4"}};
	struct db_problem p = rows_problem;
	struct db_run r = rows_run;
	int64_t run;

	p.problem = "p";
	r.implementations = list;
	r.n_implementations = 2;
	r.baseline = rows_implementation.name;
	for (int i = 0; i < 3; i++) {
		if (db_begin_run(d, &rows_device, &p, &r, &run, &e))
			tap_ok(false, "%s", e.text);
		night_add_trial(d, run, &(struct point){0}, &list[0], "B=1", 1e5);
		night_add_trial(d, run, &(struct point){0}, &list[1], "B=1", 1.1e5);
		db_end_run(d, run, "done", &e);
		date(path, run, 0);
	}
	add(d, path, &(struct story){"p", 1.4, 1, 4, NULL});
	struct track_history *h = NULL;

	if (track_history_open(d, path, &track_rule_default, &h, &e))
		tap_ok(false, "%s", e.text);
	tap_ok(!find(h, "p", rows_implementation.name)->is_baseline &&
		       track_series_fails(find(h, "p", rows_implementation.name)),
	       "a former baseline that slows by itself fails");
	tap_ok(find(h, "p", "library")->is_baseline, "that of the newest run is the baseline");
	track_history_free(h);
	db_close(d);
}

/* Series without dates or baselines: those of files. */
static void test_bare(void)
{
	struct track_series list[] = {
		{.name = "a", .verdict = TRACK_REGRESSION, .changed = true, .change_pct = 5},
		{.name = "b", .verdict = TRACK_REGRESSION, .changed = true, .change_pct = 50},
		{.name = "c", .verdict = TRACK_UNCHANGED, .n = 9},
		{.name = "d", .verdict = TRACK_UNDECIDED, .n = 9, .is_baseline = true},
		{.name = "e", .verdict = TRACK_UNDECIDED, .n = 9}};
	struct track_groups g = groups_of(list, 5);

	tap_str(g.list[0].series->name, "b", "the larger change is the first");
	tap_int((long long)track_groups_size(&g, 0), 1, "equal verdicts are no group");
	tap_int((long long)g.counts.reasons, 2, "each has its reason");
	tap_str(g.list[2].series->name, "e", "then what is undecided");
	tap_ok(g.list[2].listed && !g.list[3].listed, "unless it is a baseline");
	tap_ok(!g.list[4].listed && g.list[4].finding == 0, "what is unchanged is counted alone");
	track_groups_fini(&g);
}

int main(void)
{
	rows_enter();
	const char *path = rows_path("groups.db");
	struct db *d = nights_open(path);
	struct track_history *h = open_stories(path, d);
	struct track_groups g;

	if (h && track_groups_find(h, &g, &e) == ASC_OK) {
		test_controls(h);
		test_order(&g);
		test_counts(&g);
		test_untold(&g);
		test_failing(h);
		track_groups_fini(&g);
	}
	track_history_free(h);
	test_confirmed(path, d);
	test_former_baseline();
	test_bare();
	db_close(d);
	rows_leave();
	return tap_done();
}
