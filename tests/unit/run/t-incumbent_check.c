/* One configuration after another as a worker measures them, on a machine that changes: what is
 * launched again, who is kept loaded, which verdicts stand. */
#include "tuner/run/incumbent_check.h"

#include <stdlib.h>
#include <string.h>

#include "probes/probe.h"
#include "tests/simulated.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json.h"
#include "tuner/base/units.h"
#include "tuner/run/launch_context.h"
#include "tuner/run/policy.h"
#include "tuner/run/stop.h"
#include "tuner/run/worker_verbs.h"
#include "tuner/workload/workload.h"

enum { BEST_NS = 1000000 };

static double factor;     /* what the machine makes of every time */
static int64_t launches;  /* of a test, as they are counted below */
static int64_t change_at; /* the launch that is the first with ... */
static double changed;    /* ... this factor; 0: none */
static double refused;    /* the kernel that does not launch any more */
static int64_t wobbles;
static double wobbling; /* the kernel that takes half as long every other launch */

static int64_t launch(void *user, double truth_ns)
{
	(void)user;
	if (changed > 0 && launches++ >= change_at)
		factor = changed;
	if (truth_ns == wobbling && wobbles++ % 2)
		truth_ns /= 2;
	return truth_ns == refused ? 0 : (int64_t)(truth_ns * factor);
}

static void reset(void)
{
	factor = 1;
	launches = 0;
	changed = refused = wobbling = 0;
	wobbles = 0;
}

/* ---- who watches ---- */

static uint64_t heard_id;
static int64_t heard;

static enum asc_status hear(void *user, uint64_t id, enum phase phase, struct asc_err *e)
{
	(void)user, (void)phase, (void)e;
	heard_id = id;
	heard++;
	return ASC_OK;
}

static const struct worker_watch watch = {hear, NULL, NULL};

/* ---- a probe ---- */

struct probe {
	struct simulated *device;  /* NULL: nothing is counted */
	int64_t flushes, launches; /* before and then between begin and end */
};

static int64_t until_ns; /* of what is measured; 0: no limit */

static enum asc_status probe_begin(struct probe *p, struct asc_err *e)
{
	(void)e;
	while (clock_now_ns() < until_ns)
		;
	p->flushes = p->device->flushes;
	p->launches = p->device->launches;
	return ASC_OK;
}

static enum asc_status probe_end(struct probe *p, struct result *out, struct asc_err *e)
{
	p->flushes = p->device->flushes - p->flushes;
	p->launches = p->device->launches - p->launches;
	return result_add_metric(out, "test", "counted", (double)p->launches, "1", e);
}

static const struct probe_ops probe_ops = {
	.name = "test", .summary = "counts", .begin = probe_begin, .end = probe_end};
static struct probe probe;
static const struct worker_probe probes[] = {{&probe_ops, &probe}, {0}};
static const struct worker_probe none;

/* ---- one worker's work ---- */

struct bench {
	struct simulated device;
	struct incumbent_check incumbent;
	struct incumbent best;
	struct policy policy;
	uint64_t last_id;
};

static void bench_init(struct bench *b)
{
	reset();
	*b = (struct bench){.policy = policy_default};
	b->policy.warmup_ns = 0; /* so that launches can be counted */
	simulated_init(&b->device, launch, NULL);
}

static void bench_fini(struct bench *b)
{
	incumbent_check_fini(&b->incumbent);
	tap_int(b->device.loaded, 0, "all are unloaded");
	incumbent_fini(&b->best);
	simulated_fini(&b->device);
}

/* As the verb `measure` does it. */
static void measure(struct bench *b, double truth_ns, struct result *r)
{
	struct worker_config *c = simulated_load(&b->device, ++b->last_id, truth_ns);
	const struct worker_race race = {
		&b->policy, &b->best, &b->incumbent, probe.device ? probes : &none,
		&watch,     until_ns, false};
	struct asc_err e;

	result_init(r);
	tap_int(worker_config_measure(c, &race, r, &e), ASC_OK, "measured %g", truth_ns);
	if (!incumbent_check_take(&b->incumbent, &b->policy, c, r))
		worker_config_free(c);
}

/* The first, and from then on everybody's incumbent. */
static void measure_best(struct bench *b)
{
	struct result r;
	struct asc_err e;

	measure(b, BEST_NS, &r);
	tap_int(incumbent_set(&b->best, r.samples, r.n_samples, &e), ASC_OK, "the best");
	result_fini(&r);
}

static int64_t count(struct bench *b, double truth_ns, struct result *r)
{
	int64_t before = b->device.launches;

	measure(b, truth_ns, r);
	return b->device.launches - before;
}

/* ---- the tests ---- */

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
	tap_real(b.incumbent.median_ns, 0.9 * BEST_NS, 1, "with its own time");
	result_fini(&r);
	bench_fini(&b);
}

/* What a kernel takes of the device stays in its result, whatever came of its race. */
static void expect_use(const struct result *r)
{
	size_t found = 0;

	for (size_t i = 0; i < r->n_metrics; i++)
		found += strcmp(r->metrics[i].probe, "kernel") == 0;
	tap_int((int64_t)found, 3, "registers, local and shared memory of what is %s",
		result_status_name(r->status));
}

static void test_use(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure(&b, BEST_NS, &r);
	expect_use(&r);
	incumbent_set(&b.best, r.samples, r.n_samples, &(struct asc_err){0});
	result_fini(&r);
	measure(&b, 1.5 * BEST_NS, &r);
	expect_use(&r);
	result_fini(&r);
	measure(&b, 5.0 * BEST_NS, &r);
	expect_use(&r);
	result_fini(&r);
	bench_fini(&b);
}

/* Time is up as the counters begin. */
static void test_counted_late(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	probe = (struct probe){.device = &b.device};
	until_ns = clock_now_ns() + 500000000;
	measure(&b, BEST_NS, &r);
	tap_int(probe.launches, 1, "one launch is counted, and no other is begun");
	tap_ok(r.status == RESULT_OK && r.metrics[r.n_metrics - 1].value == 1, "and recorded");
	result_fini(&r);
	measure(&b, BEST_NS, &r);
	tap_int((int64_t)r.n_metrics, 0, "later none is");
	result_fini(&r);
	until_ns = 0;
	probe.device = NULL;
	bench_fini(&b);
}

/* Counters see launches of their own, with no flush between them. */
static void test_counted(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	probe = (struct probe){.device = &b.device};
	measure(&b, BEST_NS, &r);
	tap_int(probe.launches, 200, "200 ms of launches");
	tap_int(probe.flushes, 0, "without a flush");
	tap_ok(r.n_metrics == 3 + 2 && strcmp(r.metrics[4].name, "launches") == 0 &&
		       r.metrics[4].value == 200,
	       "how many is recorded");
	result_fini(&r);
	measure(&b, 100.0 * BEST_NS, &r);
	tap_int(probe.launches, 8, "8 at least");
	result_fini(&r);
	incumbent_set(&b.best, (const int64_t[]){BEST_NS, BEST_NS, BEST_NS}, 3,
		      &(struct asc_err){0});
	measure(&b, 5.0 * BEST_NS, &r);
	tap_int((int64_t)r.n_metrics, 3, "what is slow is not counted");
	result_fini(&r);
	probe.device = NULL;
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
	b.policy.cache = CACHE_HOT;
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
	b.policy.doubt_clock = 0.01;
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
	b.policy.doubt_clock = 0;
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
	tap_real(b.incumbent.median_ns, BEST_NS, 0, "the best stays the best");
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

/* Without warm-up the verification launch says how many launches make a sample, again too. */
static void test_no_warmup(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	b.policy.warmup = 0;
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
	policy_fix_repeats(&b.policy, 1, 5);
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
	tap_ok(b.incumbent.failure.status == RESULT_LAUNCH_FAILED && b.incumbent.failed_id == 1,
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
	tap_int(b.incumbent.failure.status, RESULT_OK, "the best is not to blame");
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

/* ---- what is verified ---- */

static int64_t written, faulty; /* launches; the first that is */

static void write_early(void *user, double truth_ns, float *out)
{
	(void)user, (void)truth_ns;
	written++;
	for (int i = 0; written < faulty && i < SIMULATED_ELEMENTS; i++)
		out[i] = (float)(i + 1);
}

/* Works where the output is not there yet, and else returns at once. */
static float *output;

static int64_t launch_lazily(void *user, double truth_ns)
{
	(void)user;
	return output && output[0] == 1 ? BEST_NS / 10 : (int64_t)truth_ns;
}

static void write_lazily(void *user, double truth_ns, float *out)
{
	(void)user, (void)truth_ns;
	for (int i = 0; i < SIMULATED_ELEMENTS; i++)
		out[i] = (float)(i + 1);
	output = out;
}

static void test_verified(void)
{
	struct bench b;
	struct result r;

	for (faulty = 2; faulty < 6; faulty++) {
		bench_init(&b);
		simulated_add_output(&b.device);
		b.device.write = write_early;
		written = 0;
		measure(&b, BEST_NS, &r);
		tap_str(result_status_name(r.status), "wrong", "idle from launch %lld on: %s",
			(long long)faulty, result_reason(&r));
		result_fini(&r);
		bench_fini(&b);
	}
	bench_init(&b);
	simulated_add_output(&b.device);
	b.device.launch = launch_lazily;
	b.device.write = write_lazily;
	output = NULL;
	measure(&b, BEST_NS, &r);
	tap_str(result_status_name(r.status), "wrong", "%s", result_reason(&r));
	tap_has(r.reason, "10 x as long", "by how much");
	result_fini(&r);
	bench_fini(&b);
}

/* Works in its first launch only, which is far slower than the best; looked at again it is not. */
static int64_t launch_once(void *user, double truth_ns)
{
	(void)user;
	if (truth_ns == BEST_NS)
		return BEST_NS;
	return written > 0 ? BEST_NS / 2 : 3 * BEST_NS;
}

static void write_once(void *user, double truth_ns, float *out)
{
	(void)user;
	for (int i = 0; (truth_ns == BEST_NS || written == 0) && i < SIMULATED_ELEMENTS; i++)
		out[i] = (float)(i + 1);
	written += truth_ns != BEST_NS;
}

static void test_verified_again(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	simulated_add_output(&b.device);
	b.device.launch = launch_once;
	b.device.write = write_once;
	written = 0;
	measure_best(&b);
	measure(&b, 2.0 * BEST_NS, &r);
	tap_str(result_status_name(r.status), "wrong", "%s", result_reason(&r));
	result_fini(&r);
	bench_fini(&b);
}

static void print_request(struct buf *out)
{
	struct json_writer w = {.out = out};

	buf_add_str(out, "{\"do\":\"problem\",\"workload\":\"/nonexistent\",\"hash\":\"\","
			 "\"problem\":\"p\",\"seed\":1,\"cache\":\"/nonexistent\",\"folder\":null,"
			 "\"reference\":null,\"device_reference\":null,\"fills\":{},");
	policy_write_json(&policy_default, "policy", &w);
	buf_add_char(out, '}');
}

/* Another problem ends what belongs to the one before. */
static void test_next_problem(void)
{
	struct worker w = {0};
	struct bench b;
	struct buf request = {0};
	struct json_doc *doc;
	struct asc_err e;

	bench_init(&b);
	measure_best(&b);
	w.ops = b.device.problem->ops;
	w.device = b.device.problem->device;
	w.incumbent = b.incumbent;
	b.incumbent = (struct incumbent_check){0};
	print_request(&request);
	if (tap_int(json_open_text("request", buf_str(&request), request.len, &doc, &e), ASC_OK,
		    "a request"))
		tap_int(worker_problem(&w, json_root(doc), &e), ASC_NOTFOUND, "%s", e.text);
	json_close(doc);
	buf_fini(&request);
	tap_ok(b.device.loaded == 0 && !w.incumbent.config, "the fastest one is given up");
	bench_fini(&b);
}

int main(void)
{
	test_kept();
	test_use();
	test_counted();
	test_counted_late();
	test_steady();
	test_clock();
	test_changed();
	test_undecided();
	test_no_warmup();
	test_fixed_repeats();
	test_announced();
	test_refused();
	test_astray();
	test_inout();
	test_verified();
	test_verified_again();
	test_next_problem();
	return tap_done();
}
