/* Generated nights in a database: what a run finds, one row a night, for the tests of tracking. */
#ifndef ASCTUNE_TESTS_UNIT_DB_NIGHTS_H
#define ASCTUNE_TESTS_UNIT_DB_NIGHTS_H

#include <math.h>

#include "reports/results/best.h"
#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"
#include "tuner/result/profile.h"

struct point { /* what a run is to find; zero: as always */
	const char *driver, *fingerprint, *code, *toolchain, *machine;
	double ns_1, ns_2; /* of configurations B=1 (100 us) and B=2 (150 us), within 1 %;
			      NIGHT_OFF: not tried, below 0: build_failed */
	double mhz, registers, spills, watts; /* of B=1 and B=2 alike */
	double build_ns;                      /* 0: from the cache */
	double dram_bytes; /* of the profile of B=1, beside readings that say the time again or do
			      not move; 0: none */
	bool unsteady;
};

#define NIGHT_OFF 1e-9

static inline const char *night_text(const char *text, const char *usual)
{
	return text ? text : usual;
}

static inline double night_number(double number, double usual)
{
	return number != 0 ? number : usual;
}

/* The profile of a configuration that passed: its energy, and bytes beside readings that say the
 * time again or do not move. */
static inline void night_add_profile(struct db *d, int64_t run, const struct point *n,
				     const struct db_implementation *i, const char *key, double ns)
{
	const double bytes = n->dram_bytes;
	struct metric readings[] = {
		{.probe = "energy",
		 .name = "energy_j",
		 .unit = "J",
		 .value = night_number(n->watts, 300) * ns * 1e-9},
		{.probe = "cupti", .name = "dram_bytes", .unit = "B", .value = bytes},
		{.probe = "cupti", .name = "l2_hit", .unit = "%", .value = 1 + bytes / 1e9},
		{.probe = "cupti", .name = "instructions", .unit = "1", .value = 5e6},
		{.probe = "cupti", .name = "dram_rate", .unit = "B/s", .value = bytes / ns * 1e9},
		{.probe = "cupti", .name = "kernel_ns", .unit = "ns", .value = ns},
		{.probe = "cupti", .name = "launches", .unit = "1", .value = bytes / 1e6},
	};
	const struct profile p = {.label = LABEL_UNKNOWN,
				  .readings = readings,
				  .n_readings = bytes > 0 ? sizeof readings / sizeof *readings : 1};
	struct asc_err e;

	if (db_put_profile(d, run, i, key, &p, &e))
		tap_ok(false, "%s", e.text);
}

static inline void night_add_trial(struct db *d, int64_t run, const struct point *n,
				   const struct db_implementation *i, const char *key, double ns)
{
	static int64_t notes[3];
	struct metric metrics[] = {
		{"kernel", "registers", "1", night_number(n->registers, 64), 0, NULL},
		{"kernel", "local_bytes", "byte", n->spills, 0, NULL},
	};
	struct result r = rows_result(ns, ns, ns);
	struct db_trial t = rows_trial(key, &r);
	struct asc_err e;

	for (size_t k = 0; k < 3; k++)
		notes[k] = (int64_t)night_number(n->mhz, 1980) << RESULT_MHZ_SHIFT;
	t.implementation = *i;
	r.notes = notes;
	r.metrics = metrics;
	r.n_metrics = sizeof metrics / sizeof *metrics;
	r.spent_ns[PHASE_BUILD] = (int64_t)n->build_ns;
	r.cached = n->build_ns <= 0;
	if (ns < 0) {
		r.status = RESULT_BUILD_FAILED;
		r.phase = PHASE_BUILD;
		r.n_samples = 0;
		r.time = (struct stats_summary){0};
	}
	if ((ns < 0 || ns > 1) && db_add_trial(d, run, &t, &e))
		tap_ok(false, "%s", e.text);
	if (ns > 1)
		night_add_profile(d, run, n, i, key, ns);
}

/* Begins the run of one more night of a problem; its number. */
static inline int64_t night_begin(struct db *d, const char *problem, const struct point *n,
				  const struct db_run *r)
{
	struct db_device device = rows_device;
	struct db_problem p = rows_problem;
	struct asc_err e;
	int64_t run = 0;

	device.driver = night_text(n->driver, "6.1");
	device.fingerprint = night_text(n->fingerprint, "f1");
	device.machine = n->machine;
	p.problem = problem;
	if (db_begin_run(d, &device, &p, r, &run, &e))
		tap_ok(false, "%s", e.text);
	return run;
}

static inline void night_end(struct db *d, int64_t run)
{
	struct asc_err e;

	if (db_end_run(d, run, "done", &e))
		tap_ok(false, "%s", e.text);
}

/* The run's number; one more night of a problem. */
static inline int64_t night_add(struct db *d, const char *problem, const struct point *n,
				struct rng *rng)
{
	struct db_implementation i = rows_implementation;
	struct db_run r = rows_run;
	struct asc_err e;

	i.key = night_text(n->code, "k1");
	i.toolchain = n->toolchain;
	r.implementations = &i;
	const int64_t run = night_begin(d, problem, n, &r);
	double by_1 = 1 + 0.01 * rng_normal(rng), by_2 = 1 + 0.01 * rng_normal(rng);

	night_add_trial(d, run, n, &i, "B=1", by_1 * night_number(n->ns_1, 1e5));
	night_add_trial(d, run, n, &i, "B=2", by_2 * night_number(n->ns_2, 1.5e5));
	if (n->unsteady)
		db_set_steady(d, run, "{\"unsteady\":true}", &e);
	night_end(d, run);
	return run;
}

/* The same with one configuration, beside a baseline "library" of twice its time, which are changed
 * by these factors; below 0: build_failed. */
static inline int64_t night_add_beside(struct db *d, const char *problem, const struct point *n,
				       double kernel, double baseline, struct rng *rng)
{
	struct db_implementation list[] = {rows_implementation,
					   {.name = "library", .index = 3, .key = "k2"}};
	struct db_run r = rows_run;

	list[0].key = night_text(n->code, "k1");
	r.implementations = list;
	r.n_implementations = 2;
	r.baseline = "library";
	const int64_t run = night_begin(d, problem, n, &r);

	night_add_trial(d, run, n, &list[0], "B=1", 1e5 * kernel * (1 + 0.002 * rng_normal(rng)));
	night_add_trial(d, run, n, &list[1], "T=0", 2e5 * baseline * (1 + 0.002 * rng_normal(rng)));
	night_end(d, run);
	return run;
}

static inline struct db *nights_open(const char *path)
{
	struct db *d = NULL;
	struct asc_err e;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	return d;
}

/* Runs start at their number's day, whatever the clock says. */
/* True where two histories have the same points, in series of the same verdicts. */
static inline bool nights_are_equal(const struct track_history *x, const struct track_history *y)
{
	bool same = x->n_all == y->n_all && x->n_points == y->n_points;

	for (size_t k = 0; same && k < x->n_all; k++)
		same = strcmp(x->list[k].name, y->list[k].name) == 0 &&
		       x->list[k].n == y->list[k].n && x->list[k].verdict == y->list[k].verdict &&
		       x->first[k] == y->first[k];
	for (size_t i = 0; same && i < x->n_points; i++) {
		const struct track_point *a = &x->points[i], *b = &y->points[i];

		same = strcmp(a->config, b->config) == 0 && a->run_id == b->run_id &&
		       a->trial_id == b->trial_id && memcmp(&a->ns, &b->ns, sizeof a->ns) == 0 &&
		       memcmp(&a->value, &b->value, sizeof a->value) == 0 &&
		       isnan(a->clock_mhz) == isnan(b->clock_mhz);
	}
	return same;
}

/* Opens the histories, from the trials; from the outcomes that are kept; and from these but for one
 * subject that is stale: all are the same. */
static inline struct track_history *nights_track(const char *path, struct db *d)
{
	struct track_history *h = NULL, *kept = NULL, *partly = NULL;
	struct asc_err e;

	rows_ask(path, "DELETE FROM outcome");
	rows_ask(path, "UPDATE run SET started_ms = id * 86400000");
	if (track_history_open(d, path, &track_rule_default, &h, &e))
		tap_ok(false, "%s", e.text);
	if (best_refresh(d, &e) || track_history_open(d, path, &track_rule_default, &kept, &e))
		tap_ok(false, "%s", e.text);
	tap_ok(rows_ask(path, "SELECT count(*) FROM outcome") > 0, "outcomes are kept");
	tap_ok(h && kept && nights_are_equal(h, kept), "they give the same histories");
	rows_ask(path, "INSERT INTO stale SELECT device_id, problem_id FROM run LIMIT 1");
	if (track_history_open(d, path, &track_rule_default, &partly, &e))
		tap_ok(false, "%s", e.text);
	tap_ok(h && partly && nights_are_equal(h, partly), "so does a part of them");
	track_history_free(kept);
	track_history_free(partly);
	return h;
}

/* The series of times of a problem; NULL: there is none. */
static inline const struct track_series *nights_find(const struct track_history *h,
						     const char *problem)
{
	for (size_t k = 0; k < h->n; k++)
		if (strcmp(h->list[k].problem, problem) == 0 &&
		    strcmp(h->list[k].metric, TRACK_TIME) == 0)
			return &h->list[k];
	return NULL;
}

/* Checks that the reasons written of a series' verdict hold a text. */
static inline void nights_check_why(const struct track_series *s, const char *text)
{
	struct buf why = {0};

	track_write_why(s, &why);
	tap_has(buf_str(&why), text, "%s: why", s->name);
	buf_fini(&why);
}

#endif
