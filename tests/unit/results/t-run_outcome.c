/* What a run found, decided from rows that are written here: no database is needed. Expected
 * outcomes are those that the comments of run_outcome.h promise.
 * covers: run_outcome.c */
#include "reports/results/run_outcome.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"

static struct asc_err e;

struct row { /* of the newest trial first; the oldest has number 1 */
	const char *config;
	enum result_status status;
	double ns;
};

static struct run_outcome found;
static struct outcome_storage storage;

static void end(void)
{
	outcome_storage_fini(&storage);
	storage = (struct outcome_storage){0};
}

/* Hashes of keys collide on purpose: keys alone say which configuration it is. */
static void add_final(const char *config, double ns, bool winner)
{
	const struct outcome_final f = {.config_hash = 7,
					.config_key = config,
					.median_ns = ns,
					.winner = winner,
					.clock_mhz = ns * 2};

	if (run_outcome_add_final(&found, &f, &storage, &e))
		tap_ok(false, "%s", e.text);
}

static void add_trials(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct outcome_trial t = {.id = (int64_t)(n - i),
						.config_hash = 7,
						.config_key = rows[i].config,
						.status = rows[i].status,
						.median_ns = rows[i].ns,
						.clock_mhz = rows[i].ns * 3};

		if (run_outcome_add_trial(&found, &t, &storage, &e))
			tap_ok(false, "%s", e.text);
	}
	run_outcome_decide(&found);
}

#define TRIALS(...)                                                                                \
	add_trials((const struct row[]){__VA_ARGS__},                                              \
		   sizeof(const struct row[]){__VA_ARGS__} / sizeof(struct row))

static void check(const char *config, int64_t trial, double ns, const char *name)
{
	tap_str(found.config_key ? found.config_key : "none", config, "%s", name);
	tap_ok(found.trial_id == trial &&
		       (ns > 0 ? found.ns >= ns && found.ns <= ns : isnan(found.ns)),
	       "of trial %lld: trial %lld in %g ns", (long long)trial, (long long)found.trial_id,
	       found.ns);
}

static void test_trials(void)
{
	run_outcome_init(&found);
	tap_ok(!found.tried, "a run without trials says nothing");
	TRIALS({"B", RESULT_SLOW, 90}, {"A", RESULT_OK, 100}, {"C", RESULT_OK, 100});
	check("C", 1, 100, "of equal ones the oldest, and none that was dropped");
	tap_ok(found.passed == 3 && found.failed == 0, "all of which passed");
	run_outcome_init(&found);
	TRIALS({"A", RESULT_BUILD_FAILED, NAN}, {"B", RESULT_OK, 120}, {"A", RESULT_OK, 100});
	check("B", 2, 120, "a later failure of any kind ends what passed");
	tap_ok(found.passed == 1 && found.failed == 1, "and counts in its place");
	run_outcome_init(&found);
	TRIALS({"A", RESULT_OK, 110}, {"A", RESULT_WRONG, NAN}, {"A", RESULT_OK, 100});
	check("A", 3, 110, "what passed after a failure stands, what passed before does not");
	run_outcome_init(&found);
	TRIALS({"A", RESULT_PRUNED, NAN}, {"B", RESULT_CRASHED, NAN});
	check("none", 0, 0, "nothing passed");
	tap_ok(found.tried && found.passed == 0 && found.failed == 1,
	       "what cannot run here has not failed");
	end();
}

static void test_finals(void)
{
	run_outcome_init(&found);
	add_final("A", 105, false);
	add_final("B", 110, true);
	TRIALS({"B", RESULT_OK, 130}, {"B", RESULT_OK, 120}, {"A", RESULT_OK, 90});
	check("B", 2, 110, "the winner of the finals, with its time there and its oldest trial");
	tap_ok(found.clock_mhz >= 220 && found.clock_mhz <= 220, "and its clock there");
	run_outcome_init(&found);
	add_final("A", 105, false);
	add_final("B", 110, true);
	TRIALS({"B", RESULT_TIMEOUT, NAN}, {"B", RESULT_OK, 120}, {"A", RESULT_OK, 90});
	check("A", 1, 105, "a finalist that failed is out");
	run_outcome_init(&found);
	add_final("B", 105, false);
	add_final("A", 105, false);
	add_final("C", NAN, true);
	TRIALS({"D", RESULT_OK, 90});
	check("A", 0, 105, "the fastest finalist, then the lesser key, measured in an earlier run");
	run_outcome_init(&found);
	add_final("A", 105, true);
	TRIALS({"A", RESULT_OK, 120}, {"A", RESULT_WRONG, NAN}, {"A", RESULT_OK, 90});
	check("A", 3, 105, "a finalist that passed after it had failed stands");
	end();
}

int main(void)
{
	test_trials();
	test_finals();
	return tap_done();
}
