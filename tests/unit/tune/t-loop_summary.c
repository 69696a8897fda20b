/* Shares of the finals, what they use of a machine, and when it was busy: figures that the answer
 * rests on. Nothing is run.
 * covers: loop_summary.c finals.c */
#include "tuner/tune/loop_summary.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
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

/* Steadiness of a problem that several devices share: which trials are of which, and whose times
 * count. */
static void test_devices(void)
{
	struct session a = {.name = "cuda:0"}, b = {.name = "cuda:1"}, c = {.name = "cuda:2"};
	struct session *const list[] = {&a, &b, &c};
	const struct session_peers peers = {list, 3};
	static const size_t of[] = {1, 1, 2, 1, 0, 2};
	struct loop_summary s;
	struct buf text = {0};
	struct json_writer w = {&text, false};
	const struct result r = {.spent_ns = {[PHASE_BUILD] = 1, [PHASE_MEASURE] = 20},
				 .flush_ns = 3};
	struct asc_err e;

	loop_summary_init(&s);
	b.peers = &peers;
	s.steady.session = &b;
	for (size_t i = 0; i < 6; i++)
		if (loop_steadiness_add_device(&s.steady, of[i], &e))
			tap_ok(false, "%s", e.text);
	loop_steadiness_write_json(&s.steady, NULL, &w);
	const char *at = strstr(buf_str(&text), "\"device\"");

	tap_str(at ? at : "",
		"\"device\":\"cuda:1\",\"beside\":[],"
		"\"trials_of\":{\"cuda:0\":[5],\"cuda:2\":[3,6]}}",
		"trials that others measured, by their number in the record");
	buf_fini(&text);
	s.spent_ns[PHASE_BUILD] = 1;
	s.spent_ns[PHASE_MEASURE] = 50;
	s.flush_ns = 5;
	loop_summary_leave_out_times(&s, &r);
	tap_int(s.spent_ns[PHASE_MEASURE], 30,
		"time that passed on another device is none of the own's");
	tap_int(s.spent_ns[PHASE_BUILD], 1, "compilers are all devices'");
	tap_int(s.flush_ns, 2, "flushing is a part of measuring");
	loop_summary_fini(&s);
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
	const struct trial t = {.implementation = &i, .calls = builds, .n_calls = 2};
	struct plan_use out;
	struct asc_err e;

	tap_int(finals_find_use(NULL, &t, &out, &e), ASC_OK, "what two calls use");
	tap_real(out.threads, 4, 0, "threads of the first");
	builds[1].plan.threads = 6;
	(void)finals_find_use(NULL, &t, &out, &e);
	tap_real(out.threads, 6, 0, "threads of the second");
}

int main(void)
{
	test_steadiness();
	test_devices();
	test_budget();
	test_use();
	return tap_done();
}
