/* One configuration after another as a worker measures them, on a machine that changes: what is
 * launched again, who is kept loaded, which verdicts stand.
 * covers: incumbent_check.c worker_config.c worker_verbs.c */
#include "tuner/worker/incumbent_check.h"

#include <string.h>

#include "tests/simulated.h"
#include "tests/tap.h"
#include "tests/unit/worker/race_bench.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/worker/policy.h"
#include "tuner/worker/worker_verbs.h"
#include "tuner/workload/workload.h"

static void test_kept(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure_best(&b);
	tap_int(b.device.loaded, 1, "the first is kept");
	measure(&b, 1.05 * BEST_NS, &r);
	tap_ok(r.status == RESULT_OK && b.device.loaded == 1, "one that is slower is not");
	result_fini(&r);
	measure(&b, 0.9 * BEST_NS, &r);
	tap_ok(b.device.loaded == 1, "a faster one replaces it");
	tap_real(b.race.incumbent.median_ns, 0.9 * BEST_NS, 1, "with its own time");
	result_fini(&r);
	b.race.least_ns = (int64_t)(0.8 * BEST_NS);
	measure(&b, 0.7 * BEST_NS, &r);
	tap_real(b.race.incumbent.median_ns, 0.9 * BEST_NS, 1, "an impossible one does not");
	result_fini(&r);
	bench_fini(&b);
}

static void test_steady(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure_best(&b);
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 2,
		"verification, warm-up, two samples, and one of each");
	tap_str(result_status_name(r.status), "slow", "the verdict stands");
	result_fini(&r);
	tap_int(count(&b, 5.0 * BEST_NS, &r), 1, "no machine makes that of it: nothing more");
	result_fini(&r);
	b.race.policy.cache = CACHE_HOT;
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 4,
		"with hot caches each is warmed up first");
	result_fini(&r);
	bench_fini(&b);
}

/* A device that is as fast as its clock. */
static void test_clock(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	b.race.policy.race.doubt_clock = 0.01;
	b.device.mhz = 2000;
	measure_best(&b);
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2, "the clock is what it was: no look");
	result_fini(&r);
	b.device.mhz = 1900;
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 2, "the clock is another: a look");
	result_fini(&r);
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2, "looked at with this clock already");
	result_fini(&r);
	b.device.mhz = 0;
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 2, "no clock, a look");
	result_fini(&r);
	b.race.policy.race.doubt_clock = 0;
	b.device.mhz = 1900;
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 2, "where clocks do not tell, a look");
	result_fini(&r);
	bench_fini(&b);
}

/* A machine that takes 1.7 times as long from now on: times stay what they are. */
static void test_changed(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure_best(&b);
	factor = 1.7;
	tap_int(count(&b, 0.9 * BEST_NS, &r), 1 + 2 + 2 + 2 * 5 + 1,
		"five pairs more, and verified");
	tap_str(result_status_name(r.status), "ok", "not slow: %s", result_reason(&r));
	tap_real(r.time.median, 1.7 * 0.9 * BEST_NS, 2, "as it was measured");
	tap_int(r.n_samples, 2 + 5, "its samples of the pairs are its own");
	tap_real(b.race.incumbent.median_ns, BEST_NS, 0, "the best stays the best");
	result_fini(&r);
	measure(&b, 1.3 * BEST_NS, &r);
	tap_str(result_status_name(r.status), "slow", "one that is slower in all pairs is slow");
	result_fini(&r);
	factor = 1;
	tap_int(count(&b, 1.3 * BEST_NS, &r), 1 + 2 + 2 + 2, "a machine that is back: no pairs");
	tap_str(result_status_name(r.status), "slow", "and the verdict stands");
	result_fini(&r);
	factor = 2.5;
	tap_int(count(&b, BEST_NS, &r), 1 + 2 * 5 + 1, "a verdict of the first launch");
	tap_str(result_status_name(r.status), "ok", "is looked at too: %s", result_reason(&r));
	result_fini(&r);
	bench_fini(&b);
}

/* Half of its launches are faster than the best, half are slower, on a machine that has changed. */
static void test_undecided(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure_best(&b);
	factor = 1.7;
	wobbling = 1.7 * BEST_NS;
	measure(&b, wobbling, &r);
	tap_str(result_status_name(r.status), "undecided", "%s", result_reason(&r));
	tap_has(r.reason, "pairs", "says why");
	tap_int(b.device.loaded, 1, "it is not kept");
	result_fini(&r);
	bench_fini(&b);
}

static struct {
	int64_t own, slower; /* launches of the candidate; pairs in which it is slower */
} paired;

/* The candidate's five launches before the pairs are a verification, two of warm-up, two samples.
 */
static int64_t launch_paired(void *user, double truth_ns)
{
	const int64_t pair = truth_ns == 0.9 * BEST_NS ? paired.own++ - 5 : -1;

	return launch(user, pair >= 0 && pair < paired.slower ? 1.5 * truth_ns : truth_ns);
}

/* One pair of five that disagrees with the others is tolerated, two are not. */
static void test_disagreeing(void)
{
	static const char *const statuses[] = {"ok",        "ok",   "undecided",
					       "undecided", "slow", "slow"};
	struct bench b;
	struct result r;

	for (int64_t slower = 0; slower <= 5; slower++) {
		bench_init(&b);
		measure_best(&b);
		b.device.launch = launch_paired;
		factor = 1.7;
		paired.own = 0;
		paired.slower = slower;
		measure(&b, 0.9 * BEST_NS, &r);
		tap_ok(paired.own >= 5 + POLICY_PAIRS, "all pairs were made");
		tap_str(result_status_name(r.status), statuses[slower], "slower in %d of five",
			(int)slower);
		result_fini(&r);
		bench_fini(&b);
	}
}

/* Without warm-up the verification launch says how many launches make a sample, again too. */
static void test_no_warmup(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	b.race.policy.sampling.warmup = 0;
	measure_best(&b);
	factor = 1.7;
	measure(&b, 0.9 * BEST_NS, &r);
	tap_int(r.launches_per_sample, 1, "one launch of a millisecond is a sample");
	result_fini(&r);
	bench_fini(&b);
}

static void test_fixed_repeats(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	policy_fix_repeats(&b.race.policy, 1, 5);
	measure_best(&b);
	tap_int(b.device.loaded, 0, "nobody is kept");
	factor = 1.7;
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 1 + 5 + 1, "slower: what was asked for");
	tap_ok(r.status == RESULT_OK, "as it was measured");
	result_fini(&r);
	tap_int(count(&b, 0.3 * BEST_NS, &r), 1 + 1 + 5 + 1, "faster: what was asked for");
	result_fini(&r);
	bench_fini(&b);
}

/* Whose launch it is has to be known when the process dies. */
static void test_announced(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure_best(&b);
	heard = 0;
	measure(&b, 1.5 * BEST_NS, &r);
	tap_ok(heard == 4 && heard_id == 2,
	       "verify and measure in its own name, the best's launch, and its own after that");
	result_fini(&r);
	factor = 1.7;
	measure(&b, 0.9 * BEST_NS, &r);
	tap_int((int64_t)heard_id, 3, "the last launch was its own");
	result_fini(&r);
	bench_fini(&b);
}

static void test_refused(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure_best(&b);
	refused = BEST_NS;
	measure(&b, 1.5 * BEST_NS, &r);
	tap_str(result_status_name(r.status), "undecided", "nothing is known: %s",
		result_reason(&r));
	tap_ok(b.race.incumbent.failure.status == RESULT_LAUNCH_FAILED &&
		       b.race.incumbent.failed_id == 1,
	       "whose failure it was is known");
	tap_int(b.device.loaded, 0, "what does not launch any more is given up");
	result_fini(&r);
	measure(&b, 1.04 * BEST_NS, &r);
	tap_ok(r.status == RESULT_OK && b.device.loaded == 1, "the next that passes is kept");
	result_fini(&r);
	bench_fini(&b);
}

/* Writes where it must not from its third launch on. */
static int64_t launch_astray(void *user, double truth_ns)
{
	static int64_t own;
	struct simulated *device = user;

	if (truth_ns == 1.5 * BEST_NS && ++own > 2)
		device->damaged = true;
	return launch(user, truth_ns);
}

/* What the candidate does in the pairs is found before the best has its next turn. */
static void test_astray(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	simulated_add_output(&b.device);
	b.device.launch = launch_astray;
	b.device.user = &b.device;
	measure_best(&b);
	factor = 1.7;
	measure(&b, 1.5 * BEST_NS, &r);
	tap_str(result_status_name(r.status), "wrong", "%s", result_reason(&r));
	tap_int(b.race.incumbent.failure.status, RESULT_OK, "the best is not to blame");
	result_fini(&r);
	bench_fini(&b);
}

/* A second launch would find what the first one left. */
static void test_inout(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	simulated_add_inout(&b.device);
	factor = 1e-4; /* 100 ns: 16 launches would make a sample */
	measure_best(&b);
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 2, "samples of one launch");
	result_fini(&r);
	bench_fini(&b);
}

static void print_request(struct buf *out)
{
	struct json_writer w = {.out = out};

	/* Nobody can make anything below a file that is a device. */
	buf_add_str(out,
		    "{\"do\":\"problem\",\"workload\":\"/dev/null/none\",\"hash\":\"\","
		    "\"problem\":\"p\",\"seed\":1,\"cache\":\"/dev/null/none\",\"folder\":null,"
		    "\"reference\":null,\"device_reference\":null,\"fills\":{},");
	policy_write_json(&policy_default, "policy", &w);
	buf_add_char(out, '}');
}

/* A worker sets up no other problem while one of its configurations is loaded. */
static void test_next_problem(void)
{
	struct worker w = {0};
	struct bench b;
	struct buf request = {0};
	struct json_doc *doc;
	struct asc_err e;

	bench_init(&b);
	w.ops = b.device.problem->ops;
	w.problem = b.device.problem;
	w.configs = simulated_load(&b.device, 1, BEST_NS);
	print_request(&request);
	if (tap_int(json_open_text("request", buf_str(&request), request.len, &doc, &e), ASC_OK,
		    "a request")) {
		tap_int(worker_problem(&w, json_root(doc), &e), ASC_PROTOCOL,
			"a second problem is refused");
		tap_has(e.text, "are loaded", "and the message says why");
		tap_ok(w.problem == b.device.problem, "its problem stays");
		json_close(doc);
	}
	worker_config_free(w.configs);
	buf_fini(&request);
	bench_fini(&b);
}

int main(void)
{
	test_kept();
	test_steady();
	test_clock();
	test_changed();
	test_undecided();
	test_disagreeing();
	test_no_warmup();
	test_fixed_repeats();
	test_announced();
	test_refused();
	test_astray();
	test_inout();
	test_next_problem();
	return tap_done();
}
