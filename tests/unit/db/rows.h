/* What the tests of the database share: a folder of their own, plain rows, and a look at a file
 * from outside. */
#ifndef ASCTUNE_TESTS_UNIT_DB_ROWS_H
#define ASCTUNE_TESTS_UNIT_DB_ROWS_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "tuner/base/file.h"

static char rows_folder[4096];

static inline void rows_leave(void)
{
	dir_remove(rows_folder);
}

static inline void rows_enter(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(rows_folder, sizeof rows_folder, "%s/t-db.XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(rows_folder)) {
		perror(rows_folder);
		exit(1);
	}
}

/* A path in the folder, in a ring of four texts. */
static inline const char *rows_path(const char *name)
{
	static char texts[4][5120];
	static int next;
	char *text = texts[next++ % 4];

	snprintf(text, sizeof texts[0], "%s/%s", rows_folder, name);
	return text;
}

static const struct db_device rows_device = {.kind = "cpu",
					     .model = "Model 1",
					     .arch = "x86-64",
					     .driver = "6.1",
					     .fingerprint = "f1",
					     .clock = "monotonic"};

static const struct db_problem rows_problem = {.workload = "sdpa",
					       .operator_name = "attention",
					       .workload_hash = "h1",
					       .problem = "tiny",
					       .problem_key = "p1",
					       .dims_json = "{\"dims\":{\"S\":16},\"dtypes\":{}}",
					       .element = "f32",
					       .flops = 4096,
					       .bytes = 512};

static const struct db_implementation rows_implementation = {
	.name = "blocked", .index = 2, .key = "k1"};

static const struct db_run rows_run = {.version = "0.1.0",
				       .strategy = "random",
				       .policy_json = "{\"warmup\":1}",
				       .budget = "200 trials",
				       .cache_policy = "hot",
				       .seed = UINT64_MAX,
				       .implementations = &rows_implementation,
				       .n_implementations = 1};

/* Opens for writing and begins a plain run; exits when that fails. */
static inline struct db *rows_open(const char *path, int64_t *run_id)
{
	struct db *d;
	struct asc_err e;

	if (db_open(path, DB_WRITE, &d, &e) ||
	    db_begin_run(d, &rows_device, &rows_problem, &rows_run, run_id, &e)) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
	return d;
}

/* An ok result with these quartiles; its three samples are borrowed from here. */
static inline struct result rows_result(double q1, double median, double q3)
{
	static int64_t samples[3];
	struct result r;

	result_init(&r);
	samples[0] = (int64_t)q1;
	samples[1] = (int64_t)median;
	samples[2] = (int64_t)q3;
	r.status = RESULT_OK;
	r.phase = PHASE_MEASURE;
	r.samples = samples;
	r.n_samples = 3;
	r.launches_per_sample = 1;
	r.time = (struct stats_summary){
		.n = 3, .min = q1, .q1 = q1, .median = median, .q3 = q3, .max = q3};
	return r;
}

static inline struct db_trial rows_trial(const char *config_key, const struct result *r)
{
	return (struct db_trial){.implementation = rows_implementation,
				 .config_json = "{\"B\":1}",
				 .config_key = config_key,
				 .result = r};
}

/* A trial of `config`: JSON, and the key, too. Quartiles are 1 ns off the median; of 0 or less
 * there are no samples. */
static inline void rows_add_trial(struct db *d, int64_t run, const char *config,
				  enum result_status status, double median)
{
	struct result r = rows_result(median - 1, median, median + 1);
	struct db_trial t = rows_trial(config, &r);
	struct asc_err e;

	r.status = status;
	t.config_json = config;
	if (median <= 0) {
		r.samples = NULL;
		r.n_samples = 0;
	}
	if (db_add_trial(d, run, &t, &e)) {
		fprintf(stderr, "%s: %s\n", config, e.text);
		exit(1);
	}
}

/* One integer from a file, without our own code (0 for SQL that gives none); -1 when that fails. */
static inline int64_t rows_ask(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *s = NULL;
	int64_t out = -1;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == 0 &&
	    sqlite3_prepare_v2(db, sql, -1, &s, NULL) == 0) {
		int code = sqlite3_step(s);

		out = code == SQLITE_ROW    ? sqlite3_column_int64(s, 0)
		      : code == SQLITE_DONE ? 0
					    : -1;
	}
	sqlite3_finalize(s);
	sqlite3_close(db);
	return out;
}

#endif
