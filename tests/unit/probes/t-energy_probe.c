/* Energy of a launch: what a span comes to, by arithmetic, and the probe on a library of the tests
 * that has NVML's name, whose counter moves ten times a second at a power that the test sets.
 * covers: energy_probe.c */
#include "probes/energy_probe.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "tests/tap.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"

#define SECOND INT64_C(1000000000)

/* ---- pure ---- */

static const struct energy_mark done[] = {
	{10 * SECOND, 0}, {11 * SECOND, 100}, {13 * SECOND, 400}, {14 * SECOND, 500}};
enum { N_DONE = sizeof done / sizeof *done };

static void test_launches(void)
{
	tap_real(energy_launches_at(done, N_DONE, 10 * SECOND), 0, 0, "none at the begin");
	tap_real(energy_launches_at(done, N_DONE, 12 * SECOND), 250, 1e-9,
		 "half of a batch in half of its time");
	tap_real(energy_launches_at(done, N_DONE, 13 * SECOND), 400, 1e-9, "a mark itself");
	tap_real(energy_launches_at(done, N_DONE, 9 * SECOND), 0, 0, "none before the first");
	tap_real(energy_launches_at(done, N_DONE, 99 * SECOND), 500, 0, "none after the last");
}

static void test_span(void)
{
	/* 50 launches until the begin, 350 until 12 2/3 s: 300 in 2 1/6 s, of 600 J. */
	const struct energy_mark begin = {10 * SECOND + SECOND / 2, 1000};
	const struct energy_mark end = {12 * SECOND + 2 * SECOND / 3, 1600};
	double v[ENERGY_METRICS];

	tap_ok(energy_span(&begin, &end, done, N_DONE, 120, v), "a span");
	tap_real(v[ENERGY_LAUNCHES], 300, 1e-6, "launches between both ends");
	tap_real(v[ENERGY_SECONDS], 13.0 / 6, 1e-8, "seconds");
	tap_real(v[ENERGY_J], 2, 1e-7, "joules of a launch");
	tap_real(v[ENERGY_WATTS], 600 * 6 / 13.0, 1e-5, "watts");
	tap_real(v[ENERGY_ABOVE_IDLE_J], 2 - 260.0 / 300, 1e-7, "less 260 J at rest");
	tap_real(v[ENERGY_IDLE_SHARE], 260.0 / 600, 1e-7, "which are a part of it");
	tap_ok(energy_span(&begin, &end, done, N_DONE, NAN, v) && isnan(v[ENERGY_ABOVE_IDLE_J]) &&
		       isnan(v[ENERGY_IDLE_SHARE]) && v[ENERGY_J] > 0,
	       "the draw at rest is not known: nor is what is above");
	tap_ok(energy_span(&begin, &end, done, N_DONE, 300, v) && isnan(v[ENERGY_ABOVE_IDLE_J]),
	       "more at rest than under load says nothing");
}

static void test_no_span(void)
{
	const struct energy_mark begin = {11 * SECOND, 1000}, back = {13 * SECOND, 999},
				 early = {11 * SECOND, 1200}, end = {13 * SECOND, 1200},
				 late = {20 * SECOND, 1000}, later = {21 * SECOND, 1200};
	double v[ENERGY_METRICS];

	tap_ok(!energy_span(&begin, &back, done, N_DONE, 1, v), "a counter that went back");
	tap_ok(!energy_span(&begin, &early, done, N_DONE, 1, v), "no time between the ends");
	tap_ok(!energy_span(&late, &later, done, N_DONE, 1, v), "no launch between the ends");
	tap_ok(!energy_span(&begin, &end, done, 0, 1, v), "no launch at all");
}

/* ---- the probe ---- */

struct launched {
	int *watts;
	int load_w, idle_w; /* the power that the counter tells of, with launches and without */
	int64_t launches, passes;
	bool restored, fails;
};

/* Kernels of 2 ms. */
static const double LAUNCH_NS = 2e6;

static enum asc_status launch(void *user, int64_t n, struct asc_err *e)
{
	struct launched *l = user;
	const int64_t ns = n * (int64_t)LAUNCH_NS;

	if (l->fails)
		return asc_err_set(e, ASC_ABSENT, "an illegal address");
	*l->watts = l->load_w;
	(void)nanosleep(&(struct timespec){ns / SECOND, ns % SECOND}, NULL);
	l->launches += n;
	return ASC_OK;
}

static enum asc_status restore(void *user, struct asc_err *e)
{
	struct launched *l = user;

	(void)e;
	l->restored = l->launches == 0;
	return ASC_OK;
}

static enum asc_status pass(void *user, size_t at, size_t of, struct asc_err *e)
{
	struct launched *l = user;

	(void)e;
	*l->watts = l->idle_w;
	l->passes += at == 1 && of == 1;
	return ASC_OK;
}

static const struct metric *find(const struct result *r, const char *name)
{
	static const struct metric none = {.value = -1};

	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0)
			return &r->metrics[i];
	return &none;
}

static void test_replay(struct probe *p, struct launched *l)
{
	const struct probe_launches launches = {.pass = pass,
						.restore = restore,
						.launch = launch,
						.user = l,
						.time_ns = LAUNCH_NS};
	struct result r;
	struct asc_err e;

	result_init(&r);
	l->load_w = 400;
	l->idle_w = 100;
	tap_int(probe_energy.replay(p, &(struct probe_request){0}, &launches, &r, &e), ASC_OK,
		"a replay");
	tap_real(find(&r, "launches")->value, (double)l->launches, 0, "all launches are counted");
	tap_ok(l->restored && l->passes > 10,
	       "tensors are restored once, and the process at rest shows that it lives");
	/* A counter that moves each tenth of a second, looked at as often as this machine lets it.
	 */
	tap_real(find(&r, "energy_watts")->value, 400, 60, "the power of launches");
	tap_ok(find(&r, "energy_seconds")->value > 0.95, "%g s", find(&r, "energy_seconds")->value);
	tap_real(find(&r, "energy_idle_share")->value, 0.25, 0.06, "the share at rest");
	const double each_s =
		find(&r, "energy_seconds")->value / find(&r, "energy_launches")->value;

	tap_real(find(&r, "energy_j")->value, 400 * each_s, 60 * each_s, "joules of a launch");
	tap_str(find(&r, "energy_j")->unit, "J", "its unit");
	tap_real(find(&r, "energy_above_idle_j")->value, 300 * each_s, 80 * each_s,
		 "joules above those at rest");
	result_fini(&r);
}

static void test_refusals(struct probe *p, struct launched *l)
{
	struct probe_launches launches = {.pass = pass,
					  .restore = restore,
					  .launch = launch,
					  .user = l,
					  .time_ns = LAUNCH_NS,
					  .inout = true};
	struct result r;
	struct asc_err e;
	int64_t before = l->launches;

	result_init(&r);
	tap_int(probe_energy.replay(p, &(struct probe_request){0}, &launches, &r, &e), ASC_OK,
		"tensors that are read and written");
	tap_has(find(&r, "energy_j")->reason, "restoring these",
		"are the reason why there is none");
	tap_ok(isnan(find(&r, "energy_j")->value) && l->launches == before, "nothing is launched");
	result_fini(&r);
	result_init(&r);
	launches.inout = false;
	l->load_w = 0;
	tap_int(probe_energy.replay(p, &(struct probe_request){0}, &launches, &r, &e), ASC_OK,
		"a counter that stands still");
	tap_has(find(&r, "energy_j")->reason, "stood still", "is the reason why there is none");
	l->fails = true;
	tap_int(probe_energy.replay(p, &(struct probe_request){0}, &launches, &r, &e), ASC_ABSENT,
		"a launch that fails");
	tap_str(e.text, "an illegal address", "ends the replay");
	result_fini(&r);
}

static void test_probe(void *library)
{
	struct launched l = {.watts = dlsym(library, "fake_nvml_watts")};
	const struct device_info gpu = {.bus = "0000:01:00.0"}, other = {.bus = "0000:02:00.0"};
	struct probe *p = NULL;
	struct asc_err e;
	size_t passes = 0;

	tap_int(probe_energy.open(&other, &p, &e), ASC_ABSENT, "another GPU: %s", e.text);
	tap_ok(!p, "is not opened");
	if (!tap_int(probe_energy.open(&gpu, &p, &e), ASC_OK, "the GPU is opened"))
		return;
	tap_int(probe_energy.plan(&(struct probe_request){0}, NULL, &passes, &e), ASC_OK, "a plan");
	tap_int(passes, 1, "has one pass");
	test_replay(p, &l);
	test_refusals(p, &l);
	probe_energy.close(p);
}

static void test_check(void *library)
{
	unsigned *processes = dlsym(library, "fake_nvml_processes");
	unsigned *split = dlsym(library, "fake_nvml_split");
	struct device_info gpu = {.bus = "0000:01:00.0"};
	char reason[512] = "";

	tap_ok(!energy_check("cuda", &gpu, reason, sizeof reason), "not of a part of a GPU");
	tap_has(reason, "MIG", "which is said");
	*split = 0;
	tap_ok(energy_check("cuda", &gpu, reason, sizeof reason), "it can be told: %s", reason);
	*processes = 1;
	tap_ok(!energy_check("cuda", &gpu, reason, sizeof reason), "not beside another process");
	tap_has(reason, "1 other process uses the GPU", "which is said");
	*processes = 30;
	tap_ok(!energy_check("cuda", &gpu, reason, sizeof reason), "nor beside many");
	tap_has(reason, "30 other processes use the GPU", "which are counted");
	*processes = 0;
	gpu.simulated = true;
	tap_ok(!energy_check("cuda", &gpu, reason, sizeof reason), "not of what is simulated");
	tap_has(reason, "simulated", "which is said");
	gpu = (struct device_info){.bus = "0000:02:00.0"};
	tap_ok(!energy_check("cuda", &gpu, reason, sizeof reason),
	       "not of a GPU that is not there");
	tap_has(reason, "0000:02:00.0", "which is named");
	tap_ok(!energy_check("npu", &(struct device_info){0}, reason, sizeof reason),
	       "not of an NPU");
	tap_has(reason, "npu", "which is named");
}

int main(void)
{
	void *library = dlopen(FAKE_NVML, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; i < ENERGY_METRICS; i++)
		tap_ok(energy_metrics[i].name && energy_metrics[i].unit &&
			       energy_metrics[i].meaning,
		       "metric %zu is described", i);
	test_launches();
	test_span();
	test_no_span();
	if (tap_ok(library, "the library of the tests is open")) {
		test_check(library);
		test_probe(library);
	}
	return tap_done();
}
