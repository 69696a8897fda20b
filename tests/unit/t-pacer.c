/* One configuration after another as a worker measures them, on a machine that changes: what is
 * launched again, who is kept loaded, which verdicts stand. */
#include "tuner/run/pacer.h"

#include <stdlib.h>

#include "probes/probe.h"
#include "tests/simulated.h"
#include "tests/tap.h"
#include "tuner/base/json.h"
#include "tuner/model/workload.h"
#include "tuner/run/rule.h"
#include "tuner/run/stop.h"
#include "tuner/run/worker_passage.h"
#include "tuner/run/worker_verbs.h"

enum { BEST_NS = 1000000 };

static double factor;     /* what the machine makes of every time */
static int64_t launches;  /* of a test, as they are counted below */
static int64_t change_at; /* the launch that is the first with ... */
static double changed;    /* ... this factor; 0: none */
static double refused;    /* the kernel that does not launch any more */

static int64_t launch(void *user, double truth_ns)
{
	(void)user;
	if (changed > 0 && launches++ >= change_at)
		factor = changed;
	return truth_ns == refused ? 0 : (int64_t)(truth_ns * factor);
}

static void reset(void)
{
	factor = 1;
	launches = 0;
	changed = refused = 0;
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

static const struct worker_watch watch = {hear, NULL};

/* ---- a probe ---- */

struct probe {
	int64_t begun, ended, nested;
};

static enum asc_status probe_begin(struct probe *p, struct asc_err *e)
{
	(void)e;
	p->begun++;
	p->nested += p->begun != p->ended + 1;
	return ASC_OK;
}

static enum asc_status probe_end(struct probe *p, struct result *out, struct asc_err *e)
{
	p->ended++;
	return result_add_metric(out, "test", "attempts", (double)p->ended, "", e);
}

static const struct probe_ops probe_ops = {
	.name = "test", .summary = "counts", .begin = probe_begin, .end = probe_end};
static struct probe probe;
static const struct worker_probe probes[] = {{&probe_ops, &probe}, {0}};

/* ---- one worker's work ---- */

struct bench {
	struct simulated device;
	struct pacer pacer;
	struct rival best; /* at the normal pace */
	struct rule rule;
	uint64_t last_id;
};

static void bench_init(struct bench *b)
{
	reset();
	*b = (struct bench){.rule = rule_default};
	b->rule.warmup_ns = 0; /* so that launches can be counted */
	simulated_init(&b->device, launch, NULL);
}

static void bench_fini(struct bench *b)
{
	pacer_fini(&b->pacer);
	tap_int(b->device.loaded, 0, "all are unloaded");
	rival_fini(&b->best);
	simulated_fini(&b->device);
}

/* As the verb `measure` does it. */
static void measure(struct bench *b, double truth_ns, struct result *r)
{
	struct worker_config *c = simulated_load(&b->device, ++b->last_id, truth_ns);
	const struct worker_race race = {&b->rule, &b->best, &b->pacer, probes, &watch};
	struct asc_err e;

	result_init(r);
	tap_int(worker_config_measure(c, &race, r, &e), ASC_OK, "measured %g", truth_ns);
	if (!pacer_take(&b->pacer, &b->rule, c, r))
		worker_config_free(c);
}

/* The first, and from then on everybody's rival. */
static void measure_best(struct bench *b)
{
	struct result r;
	struct asc_err e;

	measure(b, BEST_NS, &r);
	tap_int(rival_set(&b->best, r.samples, r.n_samples, &e), ASC_OK, "the best");
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
	tap_real(b.pacer.normal_ns, 0.9 * BEST_NS, 1, "with its own normal time");
	result_fini(&r);
	bench_fini(&b);
}

static void test_steady(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure_best(&b);
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 1,
		"verification, warm-up, two samples, and the best once more");
	tap_str(result_status_name(r.status), "slow", "the verdict stands");
	tap_real(r.pace, 1, 0, "at the normal pace");
	result_fini(&r);
	tap_int(count(&b, 5.0 * BEST_NS, &r), 1, "no machine makes that of it: nothing more");
	result_fini(&r);
	b.rule.cache = CACHE_HOT;
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 2,
		"with hot caches the best is warmed up first");
	result_fini(&r);
	bench_fini(&b);
}

/* A device that is as fast as its clock. */
static void test_clock(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	b.rule.doubt_clock = 0.01;
	b.device.mhz = 2000;
	measure_best(&b);
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2, "the clock is what it was: no look");
	result_fini(&r);
	b.device.mhz = 1900;
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 1, "the clock is another: a look");
	result_fini(&r);
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2, "looked at with this clock already");
	result_fini(&r);
	b.device.mhz = 0;
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 1, "no clock, a look");
	result_fini(&r);
	b.rule.doubt_clock = 0;
	b.device.mhz = 1900;
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 1, "where clocks do not tell, a look");
	result_fini(&r);
	bench_fini(&b);
}

/* 10 % faster than the best, on a machine that takes 1.7 times as long from now on. */
static void test_changed(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure_best(&b);
	factor = 1.7;
	probe = (struct probe){0};
	measure(&b, 0.9 * BEST_NS, &r);
	tap_str(result_status_name(r.status), "ok", "not slow: %s", result_reason(&r));
	tap_real(r.pace, 1.7, 1e-6, "at the pace of now");
	tap_real(result_normal_ns(&r), 0.9 * BEST_NS, 2, "its normal time");
	tap_ok(probe.begun == 2 && probe.ended == 2 && probe.nested == 0,
	       "probes begin and end twice");
	tap_ok(r.n_metrics == 1 && r.metrics[0].value == 2, "the last measuring's metrics count");
	tap_real(b.pacer.median_ns, BEST_NS, 0, "it is not kept for what the factor alone says");
	result_fini(&r);
	measure(&b, 1.5 * BEST_NS, &r);
	tap_str(result_status_name(r.status), "slow", "one that is slower is slow");
	tap_has(r.reason, "1.5 x the best", "by as much");
	result_fini(&r);
	factor = 1;
	measure(&b, 1.3 * BEST_NS, &r);
	tap_real(r.pace, 1, 1e-6, "a machine that is back");
	tap_str(result_status_name(r.status), "slow", "makes nobody the best");
	result_fini(&r);
	bench_fini(&b);
}

/* The change comes while it is sampled; a verdict of the first launch is doubted too. */
static void test_meanwhile(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure_best(&b);
	changed = 1.7;
	change_at = 4;
	measure(&b, BEST_NS, &r);
	tap_str(result_status_name(r.status), "ok", "changed after one sample: %s",
		result_reason(&r));
	tap_real(r.pace, 1.7, 1e-6, "all its samples are of the same machine");
	tap_real(result_normal_ns(&r), BEST_NS, 2, "its normal time");
	result_fini(&r);
	reset();
	pacer_fini(&b.pacer);
	b.best.n = 0;
	measure_best(&b);
	factor = 2.5;
	measure(&b, BEST_NS, &r);
	tap_str(result_status_name(r.status), "ok", "the first launch took 2.5 times as long: %s",
		result_reason(&r));
	tap_real(r.pace, 2.5, 1e-6, "at that pace");
	result_fini(&r);
	bench_fini(&b);
}

/* A worker has died on a machine that had changed; the next one goes on from there. */
static void test_inherited(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	measure_best(&b);
	pacer_fini(&b.pacer);
	b.pacer.inherited = factor = 1.7;
	measure(&b, 0.9 * BEST_NS, &r);
	tap_str(result_status_name(r.status), "ok", "not slow: %s", result_reason(&r));
	tap_real(result_normal_ns(&r), 0.9 * BEST_NS, 2, "its normal time");
	result_fini(&r);
	factor = 1;
	measure(&b, 0.8 * BEST_NS, &r);
	tap_real(r.pace, 1, 1e-6, "a machine that is back");
	result_fini(&r);
	bench_fini(&b);
}

/* Without warm-up the verification launch says how many launches make a sample, again too. */
static void test_no_warmup(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	b.rule.warmup = 0;
	measure_best(&b);
	factor = 1.7;
	measure(&b, 0.9 * BEST_NS, &r);
	tap_real(r.pace, 1.7, 1e-6, "measured twice");
	tap_int(r.launches_per_sample, 1, "one launch of a millisecond is a sample");
	result_fini(&r);
	bench_fini(&b);
}

static void test_fixed_repeats(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	rule_fix_repeats(&b.rule, 1, 5);
	measure_best(&b);
	tap_int(b.device.loaded, 0, "nobody is kept");
	factor = 1.7;
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 1 + 5, "slower: what was asked for");
	tap_ok(r.status == RESULT_OK && r.pace == 1, "as it was measured");
	result_fini(&r);
	tap_int(count(&b, 0.3 * BEST_NS, &r), 1 + 1 + 5, "faster: what was asked for");
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
	tap_str(result_status_name(r.status), "slow", "nothing is known: the verdict stands");
	tap_real(r.pace, 1, 0, "the pace stays");
	tap_int(b.device.loaded, 0, "what does not launch any more is given up");
	result_fini(&r);
	measure(&b, 1.04 * BEST_NS, &r);
	tap_ok(r.status == RESULT_OK && b.device.loaded == 1, "the next that passes is kept");
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
	tap_int(count(&b, 1.5 * BEST_NS, &r), 1 + 2 + 2 + 1, "samples of one launch");
	result_fini(&r);
	bench_fini(&b);
}

/* Time limits are those of the configuration in whose turn it runs. */
static void test_life(void)
{
	struct bench b;
	struct result r;
	struct asc_err e;
	bool different = true;

	bench_init(&b);
	measure_best(&b);
	struct worker_config *c = simulated_load(&b.device, 77, BEST_NS);
	struct passage p = {.config = c, .watch = &watch, .result = &r, .rule = &b.rule};

	result_init(&r);
	heard = 0;
	tap_int(pacer_look(&b.pacer, &p, &different, &e), ASC_OK, "a look");
	tap_ok(!different, "nothing has changed");
	tap_ok(heard == 1 && heard_id == 77, "a sign of life, in the other's name");
	worker_config_free(c);
	bench_fini(&b);
}

/* Another problem ends what belongs to the one before. */
static void test_next_problem(void)
{
	struct worker w = {0};
	struct bench b;
	struct json_doc *doc;
	struct asc_err e;
	static const char request[] =
		"{\"do\":\"problem\",\"workload\":\"/nonexistent\",\"hash\":\"\",\"problem\":\"p\","
		"\"seed\":1,\"cache\":\"/"
		"nonexistent\",\"reference\":null,\"device_reference\":null,\"fills\":{}}";

	bench_init(&b);
	measure_best(&b);
	w.ops = b.device.problem->ops;
	w.device = b.device.problem->device;
	w.pacer = b.pacer;
	b.pacer = (struct pacer){0};
	if (tap_int(json_open_text("request", request, sizeof request - 1, &doc, &e), ASC_OK,
		    "a request"))
		tap_int(worker_problem(&w, json_root(doc), &e), ASC_NOTFOUND, "%s", e.text);
	json_close(doc);
	tap_ok(b.device.loaded == 0 && !w.pacer.config, "the fastest one is given up");
	bench_fini(&b);
}

int main(void)
{
	test_kept();
	test_steady();
	test_clock();
	test_changed();
	test_meanwhile();
	test_inherited();
	test_no_warmup();
	test_fixed_repeats();
	test_refused();
	test_inout();
	test_life();
	test_next_problem();
	return tap_done();
}
