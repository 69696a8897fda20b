/* Histories of what is recorded beside times.
 * covers: track_metrics.c tracked_metric.c */
#include "reports/track/track_history.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/db/points.h"
#include "tuner/result/tracked_metric.h"

enum { NIGHTS = 60 };

struct story {
	const char *name;
	struct point then; /* the newest four nights */
	const char *figure;
	enum track_verdict verdict;
	const char *why; /* part of it */
};

static const struct story stories[] = {
	{"nothing", {0}, "registers", TRACK_UNCHANGED, NULL},
	{"nothing", {0}, "spills", TRACK_UNCHANGED, NULL},
	{"nothing", {0}, "energy", TRACK_UNCHANGED, NULL},
	{"registers",
	 {.code = "k2", .registers = 128},
	 "registers",
	 TRACK_REGRESSION,
	 "source or toolchain changed"},
	{"few registers", {.registers = 66}, "registers", TRACK_UNCHANGED, NULL},
	{"fewer registers", {.registers = 40}, "registers", TRACK_IMPROVEMENT, NULL},
	{"spills", {.spills = 96}, "spills", TRACK_REGRESSION, NULL},
	{"power", {.watts = 400}, "energy", TRACK_REGRESSION, NULL},
	{"compiler", {.build_ns = 9e9}, "compile_time", TRACK_REGRESSION, NULL},
	{"other winner",
	 {.ns_2 = 80000, .registers = 128},
	 "registers",
	 TRACK_UNCHANGED,
	 "another configuration won; B=2, was 1"},
};

enum { STORIES = sizeof stories / sizeof *stories };

static struct db *write_stories(const char *path)
{
	static const struct point usual = {.build_ns = 2e9};
	struct db *d = nights_open(path);
	struct rng rng;

	rng_init(&rng, 21);
	for (size_t k = 0; k < STORIES; k++)
		for (size_t i = 0; i < NIGHTS + 4; i++) {
			struct point n = i < NIGHTS ? usual : stories[k].then;

			n.build_ns *= 1 + 0.03 * rng_normal(&rng);
			if (k == 0 || strcmp(stories[k].name, stories[k - 1].name) != 0)
				night_add(d, stories[k].name, &n, &rng);
		}
	return d;
}

static const struct track_series *find(const struct track_history *h, const char *problem,
				       const char *figure)
{
	for (size_t k = h->n; k < h->n_all; k++)
		if (strcmp(h->list[k].problem, problem) == 0 &&
		    strcmp(h->list[k].metric, figure) == 0)
			return &h->list[k];
	return NULL;
}

static void check_story(const struct track_history *h, const struct story *s)
{
	const struct track_series *found = find(h, s->name, s->figure);

	if (!tap_ok(found != NULL, "%s: %s are tracked", s->name, s->figure))
		return;
	tap_str(track_verdict_name(found->verdict), track_verdict_name(s->verdict), "%s: %s",
		s->name, s->figure);
	if (s->why)
		nights_check_why(found, s->why);
	if (found->changed)
		tap_int(found->index, found->n - 4, "%s: since when", s->name);
}

static void test_stories(void)
{
	const char *path = rows_path("figures.db");
	struct db *d = write_stories(path);
	struct track_history *h = nights_track(path, d);
	const struct track_series *s = find(h, "nothing", "energy");

	for (size_t k = 0; k < STORIES; k++)
		check_story(h, &stories[k]);
	tap_ok(fabs(s->values[0] - 300 * 100e-6) < 0.05 * 0.03, "300 W for 100 us are 30 mJ");
	tap_str(s->name, "cpu: Model 1 sdpa/nothing blocked hot energy", "name of the series");
	s = find(h, "nothing", "compile_time");
	tap_int(s->n, NIGHTS, "what came from the cache tells nothing of the compiler");
	tap_ok(!find(h, "nothing", "shared_memory"), "what nothing recorded has no history");
	track_history_free(h);
	db_close(d);
}

/* Compiled for the last time three weeks ago, then taken from the cache: known, not new. */
static void test_old(void)
{
	const char *path = rows_path("old.db");
	struct db *d = nights_open(path);
	struct rng rng;

	rng_init(&rng, 23);
	for (size_t i = 0; i < NIGHTS; i++) {
		struct point n = {.build_ns = i < 35 ? 2e9 : i < 39 ? 9e9 : 0};

		n.build_ns *= 1 + 0.03 * rng_normal(&rng);
		night_add(d, "p", &n, &rng);
		night_add(d, "few", i < 60 - 6 ? &(struct point){0} : &n, &rng);
	}
	struct track_history *h = nights_track(path, d);
	const struct track_series *s = find(h, "p", "compile_time");

	tap_int(s->n, 39, "the nights that compiled");
	tap_int(s->found.n, 1, "a change");
	tap_int(s->verdict, TRACK_UNCHANGED, "of long ago");
	tap_ok(!find(h, "few", "compile_time"), "a history begins with a week");
	track_history_free(h);
	db_close(d);
}

/* The figures are those of the configuration that the finals chose. */
static void test_finals(void)
{
	const char *path = rows_path("finals.db");
	struct point n = {.registers = 100};
	struct db *d = nights_open(path);
	struct asc_err e;
	struct rng rng;
	int64_t run = 0;

	rng_init(&rng, 22);
	for (size_t i = 0; i < 7; i++)
		run = night_add(d, "p", &n, &rng);
	struct db_final f = {.implementation = rows_implementation,
			     .config_key = "B=2",
			     .ratio = 1,
			     .time = {.n = 3, .median = 9e4}};
	tap_int(db_add_final(d, run, &f, &e), ASC_OK, "finals");
	rows_ask(path, "UPDATE metric SET value = 50 WHERE value = 100 AND trial_id ="
		       " (SELECT max(id) FROM trial WHERE config_key = 'B=2')");
	struct track_history *h = nights_track(path, d);

	tap_ok(find(h, "p", "registers")->values[6] == 50, "of the winner, not of the fastest");
	tap_str(track_history_points(h, 0)[6].config, "B=2", "which is the night's");
	tap_ok(find(h, "p", "registers")->values[5] == 100, "without finals of the fastest");
	track_history_free(h);
	db_close(d);
}

static void test_table(void)
{
	size_t n = 0;

	while (tracked_metrics[n].name)
		n++;
	tap_int(n, TRACKED_METRICS, "as many figures as there is room for");
	tap_ok(tracked_metric_find("kernel", "registers") == &tracked_metrics[0],
	       "registers are a tracked metric");
	tap_ok(!tracked_metric_find("perf_event", "cycles"), "a counter has no better and worse");
	tap_ok(!tracked_metric_find("nvml", "power"), "nor has power");
}

int main(void)
{
	rows_enter();
	test_table();
	test_stories();
	test_old();
	test_finals();
	rows_leave();
	return tap_done();
}
