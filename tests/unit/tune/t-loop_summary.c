/* Shares of the finals, what they use of a machine, and when it was busy: figures that the answer
 * rests on. Nothing is run.
 * covers: loop_summary.c finals.c */
#include "tuner/tune/loop_summary.h"

#include "tests/tap.h"
#include "tuner/result/tie.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/finals.h"
#include "tuner/tune/loop.h"
#include "tuner/tune/loop_options.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/workload.h"

static void test_steadiness(void)
{
	tap_ok(!loop_was_unsteady(&(struct loop_steadiness){.samples = 100, .load = 5}),
	       "5 of 100 samples beside load are no busy machine");
	tap_ok(loop_was_unsteady(&(struct loop_steadiness){.samples = 100, .load = 4, .clock = 2}),
	       "6 of 100 are one, whatever marks them");
}

static void test_budget(void)
{
	struct session session = {.policy = policy_default};
	const struct workload none = {0};
	const struct loop_options o = {
		.session = &session, .workload = &none, .budget = {.ns = 4000}};

	tap_int(loop_problem(&o, NULL).policy.finals.wall_ns, 1000,
		"a quarter of the budget is for the finals");
}

/* Of several calls the most that one uses counts, in any order. */
static void test_use(void)
{
	const struct implementation i = {.n_calls = 2};
	struct kernel_build builds[2] = {
		{.plan = {.grid = {8, 1, 1}, .block = {1, 1, 1}, .threads = 4}},
		{.plan = {.grid = {8, 1, 1}, .block = {1, 1, 1}, .threads = 2}}};
	const struct trial t = {.calls = builds, .n_calls = 2};
	struct finalist out = {0};
	struct asc_err e;

	tap_int(finals_find_use(NULL, &i, NULL, &t, &out, &e), ASC_OK, "what two calls use");
	tap_real(out.threads, 4, 0, "threads of the first");
	builds[1].plan.threads = 6;
	(void)finals_find_use(NULL, &i, NULL, &t, &out, &e);
	tap_real(out.threads, 6, 0, "threads of the second");
}

int main(void)
{
	test_steadiness();
	test_budget();
	test_use();
	return tap_done();
}
