/* Few configurations in the place of the best of each problem: of times that are recorded. */
#include "reports/dispatch/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/log.h"

enum { PROBLEMS = 4, CONFIGS = 4 };

/* Each has a best of its own; {"B":2} is 4 % behind everywhere, {"B":8} was not tried on all. */
static const char *const configs[CONFIGS] = {"{\"B\":1}", "{\"B\":2}", "{\"B\":4}", "{\"B\":8}"};
static const double times[PROBLEMS][CONFIGS] = {
	{100, 104, 150, 101}, {200, 208, 300, 0}, {500, 416, 400, 401}, {999, 832, 800, 0}};

static const char *path;
static struct asc_err e;
static char said[512];

static void keep_note(void *user, enum log_level level, const char *text)
{
	(void)user;
	if (level == LOG_NOTE)
		snprintf(said, sizeof said, "%s", text);
}

static void record(void)
{
	struct db *d;

	if (!tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "a database"))
		return;
	for (int p = 0; p < PROBLEMS; p++) {
		struct db_problem problem = rows_problem;
		char name[16], dims[64];
		int64_t run;

		snprintf(name, sizeof name, "s%d", p);
		snprintf(dims, sizeof dims, "{\"dims\":{\"S\":%d},\"dtypes\":{}}", 16 << p);
		problem.problem = problem.problem_key = name;
		problem.dims_json = dims;
		tap_int(db_begin_run(d, &rows_device, &problem, &rows_run, &run, &e), ASC_OK,
			"a run of %s", name);
		for (int i = 0; i < CONFIGS; i++)
			if (times[p][i] > 0)
				rows_add_trial(d, run, configs[i], RESULT_OK, times[p][i]);
		rows_add_trial(d, run, "{\"B\":16}", RESULT_WRONG, 1);
		(void)db_end_run(d, run, "done", &e);
	}
	db_close(d);
}

/* Checks which configuration each problem has, as digits. */
static void check(double loss, enum dispatch_source source, const char *wanted, const char *note)
{
	struct dispatch t = {0};
	struct db *d;
	char have[64] = "";

	*said = '\0';
	if (!tap_int(db_open(path, DB_READ, &d, &e), ASC_OK, "the database"))
		return;
	tap_int(dispatch_read(&t, d, source, &e), ASC_OK, "its rows");
	tap_int(dispatch_cover(&t, d, loss, &e), ASC_OK, "are covered with a loss of %g", loss);
	for (size_t i = 0; i < t.n_rows; i++)
		snprintf(have + strlen(have), sizeof have - strlen(have), "%s:%.1s/%g ",
			 t.rows[i].result.problem, t.rows[i].result.config_key + 5,
			 t.rows[i].result.median_ns);
	tap_str(have, wanted, "a loss of %g: configurations and times", loss);
	tap_str(said, note, "a loss of %g: what is said", loss);
	tap_int(dispatch_add_rules(&t, &(struct dispatch_terms){0}, &e), ASC_OK, "rules");
	tap_int((long)t.n_rules, PROBLEMS, "one for each problem");
	dispatch_fini(&t);
	db_close(d);
}

static enum asc_status job(struct asc_err *own)
{
	struct dispatch t = {0};
	struct db *d = NULL;
	enum asc_status status = db_open(path, DB_READ, &d, own);

	if (status == ASC_OK)
		status = dispatch_read(&t, d, DISPATCH_IMPLEMENTATIONS, own);
	if (status == ASC_OK)
		status = dispatch_cover(&t, d, 0.05, own);
	dispatch_fini(&t);
	db_close(d);
	return status;
}

int main(void)
{
	static const char best[] = "s0:1/100 s1:1/200 s2:4/400 s3:4/800 ";

	rows_enter();
	path = rows_path("cover.db");
	log_set_sink(keep_note, NULL);
	record();
	check(0, DISPATCH_BEST, best,
	      "blocked on Model 1, hot: 2 configurations for 4 problems, with a loss of 0.0 %, at "
	      "worst 0.0 %");
	check(0.02, DISPATCH_IMPLEMENTATIONS, best,
	      "blocked on Model 1, hot: 2 configurations for 4 problems, with a loss of 0.0 %, at "
	      "worst 0.0 %");
	check(0.05, DISPATCH_IMPLEMENTATIONS, "s0:2/104 s1:2/208 s2:2/416 s3:2/832 ",
	      "blocked on Model 1, hot: 1 configuration for 4 problems, with a loss of 4.0 %, at "
	      "worst 4.0 %");
	nomem_sample("a cover of what a database holds", job, 7);
	rows_leave();
	return tap_done();
}
