/* libasctune on a database: the best of each implementation answers, so that each list of active
 * indices has one; measured and simulated results answer apart.
 * covers: libasctune.c lookup.c */
#include <string.h>

#include "reports/tables/lookup/asctune.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"

static const struct db_implementation implementations[] = {
	{.name = "fast", .index = 0, .key = "k0"}, {.name = "other", .index = 1, .key = "k1"}};

static bool simulated; /* runs that are recorded */

static void record(struct db *d, size_t implementation, const char *config,
		   enum result_status status, double median)
{
	struct result r = rows_result(median - 1, median, median + 1);
	struct db_trial t = rows_trial(config, &r);
	struct db_run run = rows_run;
	struct db_device device = rows_device;
	struct asc_err e;
	int64_t id;

	r.status = status;
	t.implementation = implementations[implementation];
	run.implementations = implementations;
	run.n_implementations = 2;
	run.simulated = simulated;
	/* A stand-in is a device of its own, here with the model's name. */
	device.fingerprint = run.simulated ? "f-standin" : device.fingerprint;
	tap_int(db_begin_run(d, &device, &rows_problem, &run, &id, &e), ASC_OK, "a run");
	tap_int(db_add_trial(d, id, &t, &e), ASC_OK, "%s: %s", t.implementation.name, config);
}

static void ask(struct asctune_table *t, int64_t first, int64_t last, int64_t expected, double ns)
{
	const struct asctune_size sizes[] = {{"S", 16}};
	const int64_t active[] = {first, last};
	const struct asctune_question question = {.op = "attention",
						  .device = "cpu",
						  .device_model = "Model 1",
						  .sizes = sizes,
						  .n_sizes = 1,
						  .active = active,
						  .n_active = first == last ? 1 : 2};
	struct asctune_answer a;

	if (expected < 0) {
		char why[256];

		tap_int(asctune_ask(t, &question, &a), ASCTUNE_NOT_SET, "nothing is known");
		asctune_explain(t, &question, why, sizeof why);
		tap_str(why, "it has nothing for these sizes and indices", "which is explained");
		return;
	}
	tap_int(asctune_ask(t, &question, &a), ASCTUNE_EXACT, "of %lld and %lld", (long long)first,
		(long long)last);
	tap_int(a.index, expected, "this index answers");
	tap_real(a.time_ns, ns, 0, "with its time");
}

int main(void)
{
	char path[5120], error[256];
	struct asctune_table *t = NULL;
	struct db *d = NULL;
	struct asc_err e;

	rows_enter();
	snprintf(path, sizeof path, "%s", rows_path("r.db"));
	tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "a database");
	record(d, 0, "B=1", RESULT_OK, 100);
	record(d, 1, "B=1", RESULT_OK, 200);
	tap_int(asctune_open(path, ASCTUNE_KEEP, &t, error, sizeof error), ASCTUNE_OK, "a table");
	ask(t, 0, 1, 0, 100);
	ask(t, 1, 1, 1, 200);
	ask(t, 2, 2, -1, 0);
	record(d, 0, "B=1", RESULT_WRONG, 100);
	tap_int(asctune_reload(t, error, sizeof error), ASCTUNE_OK, "after a failure");
	ask(t, 0, 1, 1, 200);
	ask(t, 0, 0, -1, 0);
	asctune_close(t);
	simulated = true;
	record(d, 0, "B=1", RESULT_OK, 30);
	record(d, 1, "B=1", RESULT_OK, 40);
	tap_int(asctune_open(path, ASCTUNE_KEEP, &t, error, sizeof error), ASCTUNE_OK, "a table");
	ask(t, 0, 1, 1, 200);
	ask(t, 0, 0, -1, 0);
	asctune_close(t);
	tap_int(asctune_open(path, ASCTUNE_KEEP | ASCTUNE_SIMULATED, &t, error, sizeof error),
		ASCTUNE_OK, "a table of simulated results");
	ask(t, 0, 1, 0, 30);
	ask(t, 1, 1, 1, 40);
	asctune_close(t);
	db_close(d);
	rows_leave();
	return tap_done();
}
