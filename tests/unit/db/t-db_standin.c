/* Results on a stand-in of a device: a best of their own, and no part of what was measured.
 * covers: best.c query_earlier.c query_history.c query_overview.c */
#include "db/db.h"
#include "db/earlier.h"
#include "db/overview.h"
#include "reports/results/best.h"
#include "reports/track/track_history.h"
#include "tests/tap.h"
#include "tests/unit/db/bests.h"
#include "tests/unit/db/rows.h"

static struct asc_err e;

/* Begins a run on the stand-in of the test, or an imported one of the same device. */
static int64_t begin(struct db *d, bool imported)
{
	struct db_device device = rows_device;
	struct db_run run = rows_run;
	int64_t id = 0;

	device.model = "Model 1 (stand-in)";
	device.fingerprint = "f-standin";
	run.simulated = true;
	run.imported = imported;
	tap_int(db_begin_run(d, &device, &rows_problem, &run, &id, &e), ASC_OK, "a run");
	return id;
}

/* A measured run of 300 ns, imported ones of 10 ns, and two on the stand-in: 200 ns stands, 100 ns
 * was withdrawn by the second. */
static struct db *make(const char *name, int64_t *on_standin)
{
	int64_t measured;
	struct db *d = rows_open(rows_path(name), &measured);

	bests_add(d, measured, "B=1", RESULT_OK, 300);
	bests_add(d, begin(d, true), "B=1", RESULT_OK, 20);
	*on_standin = begin(d, false);
	bests_add(d, *on_standin, "B=1", RESULT_OK, 200);
	bests_add(d, *on_standin, "B=2", RESULT_OK, 100);
	*on_standin = begin(d, false);
	bests_add(d, *on_standin, "B=2", RESULT_WRONG, 100);
	return d;
}

static void test_best(void)
{
	struct bests simulated = {.answer = ASC_OK}, own = {.answer = ASC_OK};
	int64_t run;
	struct db *d = make("best.db", &run);
	struct bests measured = bests_ask(d, NULL);

	tap_int(measured.n, 1, "one best was measured");
	tap_ok(measured.rows[0].median_ns == 300, "on the device");
	tap_int(best_each_simulated(d, NULL, bests_visit, &simulated, &e), ASC_OK, "simulated");
	tap_int(simulated.n, 1, "one best is simulated: imported results are none");
	tap_ok(simulated.rows[0].median_ns == 200, "a withdrawn configuration is not the best");
	tap_int(simulated.rows[0].ok_trials, 1, "nor does it count as one that passed");
	tap_int(best_find(d, run, bests_visit, &own, &e), ASC_OK, "the best of the run's subject");
	tap_ok(own.n == 1 && own.rows[0].median_ns == 200, "is the stand-in's");
	db_close(d);
}

static void test_resume(void)
{
	int64_t run;
	struct db *d = make("resume.db", &run);
	struct result found;
	bool is_found = false;

	tap_int(db_find_trial(d, &(struct db_wanted){run, "blocked", "k1", "B=1"}, &found,
			      &is_found, &e),
		ASC_OK, "a result to resume with");
	tap_ok(is_found && found.time.median == 200, "is the stand-in's own");
	result_fini(&found);
	db_close(d);
}

static enum asc_status count_source(void *user, const struct db_earlier_source *s,
				    struct asc_err *err)
{
	(void)err;
	tap_ok(s->run_id <= 2, "a search begins with what was measured, or imported");
	++*(int *)user;
	return ASC_OK;
}

static void test_left_out(void)
{
	const struct db_kernel kernel = {"sdpa", "attention", "blocked"};
	struct db_overview o;
	int64_t run;
	const struct track_choice all = {0};
	struct track_history *h = NULL;
	int sources = 0;
	struct db *d = make("left_out.db", &run);

	rows_ask(rows_path("left_out.db"), "UPDATE run SET outcome = 'done'");
	tap_int(track_history_read(d, &all, 1, &h, &e), ASC_OK, "the history");
	tap_ok(h && h->n_points == 1 && h->points[0].ns == 300,
	       "has a point, which was measured on the device");
	track_history_free(h);
	tap_int(db_each_earlier_source(d, &kernel, count_source, &sources, &e), ASC_OK, "sources");
	tap_int(sources, 2, "leave the stand-in out");
	tap_int(db_find_overview(d, &o, &e), ASC_OK, "the overview");
	tap_ok(o.runs == 1 && o.imported_runs == 1 && o.standin_runs == 2, "tells them apart");
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_best();
	test_resume();
	test_left_out();
	rows_leave();
	return tap_done();
}
