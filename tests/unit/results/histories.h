/* Random histories of runs: devices under several drivers, problems and kernels that are edited,
 * finals that are sure or not, results that fail later, imports, stand-ins, and times that are
 * equal or go back. The same seed gives the same rows, whenever it is asked. */
#ifndef ASCTUNE_TESTS_UNIT_RESULTS_HISTORIES_H
#define ASCTUNE_TESTS_UNIT_RESULTS_HISTORIES_H

#include <math.h>
#include <stdio.h>

#include "db/db.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/stats/rng.h"

enum { HISTORY_MAX_RUNS = 14, HISTORY_CONFIGS = 5 };

static const struct db_device history_devices[] = {
	{.kind = "cpu", .model = "M1", .driver = "6.1", .fingerprint = "f1", .machine = "m1"},
	{.kind = "cpu", .model = "M1", .driver = "7.0", .fingerprint = "f2", .machine = "m1"},
	{.kind = "cpu", .model = "M1", .driver = "7.0", .fingerprint = "f3", .machine = "m2"},
	{.kind = "npu", .model = "M2 (stand-in)", .fingerprint = "f4"}};

static const struct db_implementation history_implementations[] = {
	{.name = "a", .index = 0, .key = "ka"},  {.name = "a", .index = 0, .key = "ka2"},
	{.name = "b", .index = 1, .key = "kb"},  {.name = "b", .index = 1, .key = "kb2"},
	{.name = "c", .index = -1, .key = "kc"}, {.name = "library", .index = -1, .key = "kl"}};

static const struct {
	const char *workload, *name, *key, *element;
} history_problems[] = {{"gemm", "tiny", "p1", "f32"},
			{"gemm", "tiny", "p2", "f32"}, /* edited */
			{"gemm", "large", "p1", NULL},
			{"axpy", "tiny", "p1", "f16"}};

static const char *const history_keys[HISTORY_CONFIGS] = {"B=0", "B=1", "B=2", "B=3", "B=4"};

struct history {
	struct rng rng;
	struct db *db;
	int64_t runs[HISTORY_MAX_RUNS];
	size_t n_runs;
};

static struct asc_err history_error;

static inline size_t history_draw(struct history *h, size_t n)
{
	return (size_t)rng_below(&h->rng, n);
}

/* One of few times, so that some are equal. */
static inline double history_time(struct history *h)
{
	return 1000 + 10 * (double)history_draw(h, 8);
}

static inline void history_check(enum asc_status status)
{
	if (status != ASC_OK)
		tap_ok(false, "%s", history_error.text);
}

static inline void history_add_trial(struct history *h, int64_t run,
				     const struct db_implementation *i, size_t config)
{
	static const enum result_status statuses[] = {
		RESULT_OK,   RESULT_OK,        RESULT_OK,      RESULT_OK,          RESULT_OK,
		RESULT_OK,   RESULT_OK,        RESULT_WRONG,   RESULT_SLOW,        RESULT_CRASHED,
		RESULT_SLOW, RESULT_UNDECIDED, RESULT_TIMEOUT, RESULT_BUILD_FAILED};
	const double ns = history_time(h);
	struct result r = rows_result(ns - 5, ns, ns + 5);
	struct db_trial t = rows_trial(history_keys[config], &r);
	const size_t shape = history_draw(h, 6);

	r.status = statuses[history_draw(h, sizeof statuses / sizeof *statuses)];
	r.errors = (struct error_norms){.known = config > 0, .max_abs = 1e-5 * (double)config};
	if (shape < 4) /* narrow, or as wide as others */
		r.time.interval = (struct stats_interval){true, ns - 1 - 40 * (shape == 3),
							  ns + 2 + 9 * (shape == 2)};
	if (shape == 5) {
		r.samples = NULL;
		r.n_samples = 0;
	}
	t.implementation = *i;
	t.is_default = config == 0 || history_draw(h, 12) == 0;
	history_check(db_add_trial(h->db, run, &t, &history_error));
}

static inline void history_hold_finals(struct history *h, int64_t run,
				       const struct db_implementation *list, size_t n)
{
	static const enum sure sures[] = {SURE_CLEAR,    SURE_TIE,      SURE_UNDECIDED,
					  SURE_UNUSABLE, SURE_UNRANKED, SURE_CLEAR};
	const enum sure sure = sures[history_draw(h, 6)];
	const size_t winner = history_draw(h, n * HISTORY_CONFIGS);
	const int64_t samples[] = {1, 2, 3};

	for (size_t k = 0; k < n * HISTORY_CONFIGS; k++) {
		const bool wins = k == winner && history_draw(h, 10) > 0;
		const double ratio = wins ? 1 : 0.99 + 0.01 * (double)history_draw(h, 5);
		const double ns = history_time(h);
		const struct db_final f = {.implementation = list[k / HISTORY_CONFIGS],
					   .config_key = history_keys[k % HISTORY_CONFIGS],
					   .winner = wins,
					   .standing = wins ? STANDING_TIED
							    : (enum standing)history_draw(h, 3),
					   .ratio = ratio,
					   .interval = {true, ratio - 0.01, ratio + 0.02},
					   .time = {.n = 3,
						    .min = ns - 3,
						    .q1 = ns - 2,
						    .median = ns,
						    .q3 = ns + 2,
						    .max = ns + 3},
					   .samples = samples,
					   .n_samples = 3,
					   .clock_mhz = (double)(1000 * history_draw(h, 2))};

		if (k == winner || history_draw(h, 3) == 0)
			history_check(db_add_final(h->db, run, &f, &history_error));
	}
	history_check(db_set_sure(h->db, run, &(struct sureness){sure, 1, 1.5},
				  history_draw(h, 6) == 0, &history_error));
}

static inline void history_add_run(struct history *h)
{
	static const char *const policies[] = {"cold", "hot", "hot", "hot", NULL};
	static const char *const texts[] = {"{\"finals_ratio\":0.1}", "{\"finals_ratio\":0}",
					    "{\"finals_ratio\":0.1}", NULL};
	const size_t device = history_draw(h, 4), problem = history_draw(h, 4);
	struct db_implementation list[3];
	struct db_problem p = {.workload = history_problems[problem].workload,
			       .operator_name = "op",
			       .problem = history_problems[problem].name,
			       .problem_key = history_problems[problem].key,
			       .dims_json = "{\"dims\":{\"S\":16},\"dtypes\":{}}",
			       .element = history_problems[problem].element,
			       .flops = 4096,
			       .bytes = 512};
	struct db_run r = {.version = "0.1.0",
			   .strategy = "model",
			   .budget = "9 trials",
			   .policy_json = texts[history_draw(h, 4)],
			   .cache_policy = policies[history_draw(h, 5)],
			   .baseline = history_draw(h, 3) ? "library" : NULL,
			   .implementations = list,
			   .simulated = device == 3};
	int64_t run = 0;

	list[0] = history_implementations[history_draw(h, 3) == 0];
	list[1] = history_implementations[2 + (history_draw(h, 4) == 0)];
	list[2] = history_implementations[4 + history_draw(h, 2)];
	r.n_implementations = 1 + history_draw(h, 3);
	if (history_draw(h, 10) == 0)
		r.simulated = r.imported = true;
	history_check(db_begin_run(h->db, &history_devices[device], &p, &r, &run, &history_error));
	h->runs[h->n_runs++] = run;
	for (size_t n = history_draw(h, 16); n > 0; n--)
		history_add_trial(h, run, &list[history_draw(h, r.n_implementations)],
				  history_draw(h, HISTORY_CONFIGS));
	if (history_draw(h, 2)) {
		history_hold_finals(h, run, list, r.n_implementations);
		if (history_draw(h, 3) == 0) /* one fails there */
			history_add_trial(h, run, &list[0], history_draw(h, HISTORY_CONFIGS));
	} else if (history_draw(h, 5) == 0) {
		history_check(db_set_sure(h->db, run, &(struct sureness){SURE_UNRANKED, 1, 0},
					  false, &history_error));
	}
	if (history_draw(h, 4))
		history_check(db_end_run(h->db, run, "done", &history_error));
}

/* Makes the history of a seed; the caller closes h->db. */
static inline void history_make(struct history *h, uint64_t seed, const char *path)
{
	char sql[256];

	*h = (struct history){0};
	rng_init(&h->rng, seed);
	history_check(db_open(path, DB_WRITE, &h->db, &history_error));
	for (size_t n = 1 + history_draw(h, HISTORY_MAX_RUNS); n > 0; n--)
		history_add_run(h);
	/* Times of its own: of all histories some are equal, and in a third they go back. */
	snprintf(sql, sizeof sql,
		 "UPDATE run SET started_ms = 1000000 + 1000 * (id %s), ended_ms = ended_ms * 0",
		 seed % 3 == 0   ? "* 7 % 5"
		 : seed % 3 == 1 ? "/ 2"
				 : "");
	rows_ask(path, sql);
	snprintf(sql, sizeof sql, "UPDATE trial SET recorded_ms = 1000000 + 500 * run_id + (id %s)",
		 seed % 3 == 0   ? "* 7 % 5"
		 : seed % 3 == 1 ? "/ 2"
				 : "");
	rows_ask(path, sql);
}

#endif
