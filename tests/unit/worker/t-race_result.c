/* Results of configurations that are measured one after another: what a kernel takes of the device,
 * what probes count, and outputs that are right once and wrong later.
 * covers: worker_config.c incumbent_check.c measure_config.c */
#include <string.h>

#include "probes/probe.h"
#include "tests/simulated.h"
#include "tests/tap.h"
#include "tests/unit/worker/race_bench.h"
#include "tuner/base/units.h"

/* ---- a probe ---- */

struct probe {
	struct simulated *device;  /* NULL: nothing is counted */
	int64_t flushes, launches; /* before and then between begin and end */
};

static int64_t begins_ns; /* time at which the probe is ready */

static enum asc_status probe_begin(struct probe *p, struct asc_err *e)
{
	(void)e;
	while (clock_now_ns() < begins_ns)
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
/* ---- what is recorded ---- */

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
	incumbent_set(&b.race.best, r.samples, r.n_samples, &(struct asc_err){0});
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
	b.race.probes[0] = probes[0];
	b.race.until_ns = begins_ns = clock_now_ns() + 500000000;
	measure(&b, BEST_NS, &r);
	tap_int(probe.launches, 1, "one launch is counted, and no other is begun");
	tap_ok(r.status == RESULT_OK && r.metrics[r.n_metrics - 1].value == 1, "and recorded");
	result_fini(&r);
	measure(&b, BEST_NS, &r);
	tap_int((int64_t)r.n_metrics, 0, "later none is");
	result_fini(&r);
	begins_ns = 0;
	bench_fini(&b);
}

/* Counters see launches of their own, with no flush between them. */
static void test_counted(void)
{
	struct bench b;
	struct result r;

	bench_init(&b);
	probe = (struct probe){.device = &b.device};
	b.race.probes[0] = probes[0];
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
	incumbent_set(&b.race.best, (const int64_t[]){BEST_NS, BEST_NS, BEST_NS}, 3,
		      &(struct asc_err){0});
	measure(&b, 5.0 * BEST_NS, &r);
	tap_int((int64_t)r.n_metrics, 3, "what is slow is not counted");
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
int main(void)
{
	test_use();
	test_counted();
	test_counted_late();
	test_verified();
	test_verified_again();
	return tap_done();
}
