/* Checks of what only some devices do. */
#include "tests/device/fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/energy_probe.h"
#include "probes/probe.h"
#include "tests/tap.h"
#include "tuner/base/units.h"
#include "tuner/result/result.h"

void check_queue(struct fixture *f)
{
	const struct device_batch batch = {.samples = 5, .launches = 60, .cold = true};
	int64_t ns[5] = {0};
	int32_t counts[25];
	struct call c;
	struct asc_err e;

	if (!f->info.queues) {
		tap_skip("%s does not queue launches", f->ops->name);
		return;
	}
	call_init(&c, "visit", DTYPE_I32);
	(void)call_add(&c, ARG_TENSOR);
	c.tensors[0] = fixture_alloc(f, sizeof counts, 0);
	c.plan.grid[0] = 2;
	struct device_kernel *k = fixture_load(f, &c);
	if (k && !f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e))
		tap_int(f->ops->run(f->d, &(struct device_sequence){&k, 1}, &batch, ns, &e), ASC_OK,
			"5 samples of 60 launches");
	for (size_t i = 0; i < 5; i++)
		tap_ok(ns[i] >= 60 && ns[i] < MINUTE_NS, "sample %zu: %lld ns", i,
		       (long long)ns[i]);
	fixture_read(f, c.tensors[0], counts, sizeof counts);
	tap_int(counts[1], 300, "all launches were made");
	f->ops->unload(f->d, k);
	f->ops->release(f->d, c.tensors[0]);
}

static double find_metric(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0)
			return r->metrics[i].value;
	return -1;
}

/* A third of a second of flushes. */
static void watch_flushes(struct fixture *f, struct probe *p, struct result *out)
{
	const struct probe_ops *nvml = probe_find("nvml");
	const int64_t start = clock_now_ns();
	struct asc_err e;

	tap_int(nvml->begin(p, &e), ASC_OK, "the probe nvml begins");
	while (clock_now_ns() - start < MINUTE_NS / 180)
		(void)f->ops->flush(f->d, NULL, &e);
	tap_int(nvml->end(p, out, &e), ASC_OK, "and ends");
}

void check_nvml(struct fixture *f)
{
	const struct probe_ops *nvml = probe_find("nvml");
	const struct device_info nowhere = {.bus = "ffff:ff:1f.0"};
	char reason[256] = "";
	struct probe *p = NULL;
	struct result r;
	struct asc_err e;

	if (!nvml->check(f->ops->name, reason, sizeof reason)) {
		tap_skip("the probe nvml: %s", reason);
		return;
	}
	result_init(&r);
	if (tap_int(nvml->open(f->ops->info(f->d), &p, &e), ASC_OK, "the probe nvml is opened")) {
		watch_flushes(f, p, &r);
		tap_ok(find_metric(&r, "seconds") >= 0.3, "%g s", find_metric(&r, "seconds"));
		tap_ok(find_metric(&r, "power") > 5, "%g W", find_metric(&r, "power"));
		tap_ok(find_metric(&r, "sm_clock") > 100, "%g MHz", find_metric(&r, "sm_clock"));
		tap_ok(find_metric(&r, "temperature") > 5, "%g degrees",
		       find_metric(&r, "temperature"));
		tap_ok(find_metric(&r, "readings") >= 10, "%g readings",
		       find_metric(&r, "readings"));
		nvml->close(p);
	}
	tap_ok(nvml->open(&nowhere, &p, &e) == ASC_ABSENT && !p, "not there: %s", e.text);
	result_fini(&r);
}

/* ---- energy ---- */

static enum asc_status flush_often(void *user, int64_t n, struct asc_err *e)
{
	struct fixture *f = user;
	enum asc_status s = ASC_OK;

	for (int64_t i = 0; i < n && !s; i++)
		s = f->ops->flush(f->d, NULL, e);
	return s ? s : f->ops->wait(f->d, e);
}

static enum asc_status restore_nothing(void *user, struct asc_err *e)
{
	(void)user, (void)e;
	return ASC_OK;
}

static enum asc_status pass_on(void *user, size_t pass, size_t of, struct asc_err *e)
{
	(void)user, (void)pass, (void)of, (void)e;
	return ASC_OK;
}

/* A span of flushes of the caches takes more than the device at rest, and what a device may. */
void check_energy(struct fixture *f)
{
	const struct probe_launches l = {.pass = pass_on,
					 .restore = restore_nothing,
					 .launch = flush_often,
					 .user = f,
					 .time_ns = 1e5};
	char reason[512] = "";
	struct probe *p = NULL;
	struct result r;
	struct asc_err e;

	if (!energy_check(f->ops->name, f->ops->info(f->d), reason, sizeof reason) &&
	    !strstr(reason, "other process")) { /* this one computes there */
		tap_skip("the probe energy: %s", reason);
		return;
	}
	result_init(&r);
	if (tap_int(probe_energy.open(f->ops->info(f->d), &p, &e), ASC_OK, "the probe energy")) {
		tap_int(probe_energy.replay(p, &(struct probe_request){0}, &l, &r, &e), ASC_OK,
			"a span of flushes");
		tap_ok(find_metric(&r, "energy_seconds") > 0.9, "%g s",
		       find_metric(&r, "energy_seconds"));
		tap_ok(find_metric(&r, "energy_watts") > 5 &&
			       find_metric(&r, "energy_watts") < 5000,
		       "%g W", find_metric(&r, "energy_watts"));
		tap_ok(find_metric(&r, "energy_above_idle_j") > 0, "%g J above rest",
		       find_metric(&r, "energy_above_idle_j"));
		tap_ok(find_metric(&r, "energy_launches") > 100, "%g launches",
		       find_metric(&r, "energy_launches"));
		probe_energy.close(p);
	}
	result_fini(&r);
}

/* Every clock that a GPU has, each on a device opened for it. Comes last: what runs there is
 * recorded for the first one too. */
void check_clocks(struct fixture *f)
{
	static const char *const names[] = {"event-blocked", "event"};
	struct asc_err e;

	if (strcmp(f->ops->name, "cuda") != 0) {
		tap_skip("%s has one clock", f->ops->name);
		return;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct fixture other = *f;

		(void)setenv("ASCTUNE_CUDA_CLOCK", names[i], 1);
		if (f->ops->inspect("", &other.info, &e) || f->ops->open("", &other.d, &e)) {
			tap_ok(false, "%s: %s", names[i], e.text);
			continue;
		}
		tap_str(other.info.clock, names[i], "a device with the clock %s", names[i]);
		tap_ok(strcmp(other.info.fingerprint, f->info.fingerprint) != 0,
		       "is told from the one with %s", f->info.clock);
		check_queue(&other);
		check_queue(&other);
		f->ops->close(other.d);
	}
	(void)unsetenv("ASCTUNE_CUDA_CLOCK");
}

/* Copies of what is read-only bring its digest along. */
static void check_copies(struct fixture *f)
{
	struct device_buffer *both[2] = {fixture_alloc(f, 1003, 0x11),
					 fixture_alloc(f, 1003, 0x22)};
	uint64_t digests[2] = {1, 2};
	struct asc_err e;

	(void)f->ops->protect(f->d, both[0], true, &e);
	tap_int(f->ops->copy(f->d, both[0], both[1], &e), ASC_OK, "what is read-only is written");
	tap_ok(fixture_look(f, both[0]) == DEVICE_UNHARMED, "a copy is no change");
	(void)f->ops->protect(f->d, both[1], true, &e);
	tap_int(f->ops->copy(f->d, both[0], both[1], &e), ASC_OK, "as it is of what is read-only");
	tap_ok(fixture_look(f, both[0]) == DEVICE_UNHARMED, "nor is that one");
	if (f->ops->digest)
		(void)f->ops->digest(f->d, both, 2, digests, &e);
	tap_ok(!f->ops->digest || digests[0] == digests[1], "both hold the same");
	fixture_write_by(f, f->target->guards ? "pry" : "poke", both[1], 500);
	tap_int(f->ops->copy(f->d, both[0], both[1], &e), ASC_OK, "a copy of what was changed");
	tap_ok(fixture_look(f, both[0]) == DEVICE_CHANGED, "is noticed where it is");
	f->ops->release(f->d, both[0]);
	f->ops->release(f->d, both[1]);
}

void check_unchanged(struct fixture *f)
{
	static const int64_t places[] = {0, 500, 998, 1002};
	struct asc_err e;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct device_buffer *b = fixture_alloc(f, 1003, 0x11);
		(void)f->ops->protect(f->d, b, true, &e);
		tap_ok(fixture_look(f, b) == DEVICE_UNHARMED, "what is read-only is unchanged");
		fixture_write_by(f, f->target->guards ? "pry" : "poke", b, places[i]);
		tap_ok(fixture_look(f, b) == DEVICE_CHANGED, "a write to byte %d is noticed",
		       (int)places[i]);
		(void)f->ops->fill(f->d, b, 0x12, &e);
		tap_ok(fixture_look(f, b) == DEVICE_UNHARMED, "ours is no change");
		(void)f->ops->protect(f->d, b, false, &e);
		fixture_poke(f, b, places[i]);
		tap_ok(fixture_look(f, b) == DEVICE_UNHARMED, "nor is one where kernels may write");
		f->ops->release(f->d, b);
	}
	if (f->ops->copy)
		check_copies(f);
}

/* Each has its own, however many are looked at together. */
void check_many(struct fixture *f)
{
	enum { N = 50, STRAY = 7, CHANGED = 41 };
	struct device_buffer *buffers[N];
	enum device_harm harms[N];
	struct asc_err e;
	int right = 0;

	for (int i = 0; i < N; i++) {
		buffers[i] = fixture_alloc(f, 90 + (size_t)i, i);
		(void)f->ops->protect(f->d, buffers[i], i % 3 == CHANGED % 3, &e);
	}
	fixture_poke(f, buffers[STRAY], -1);
	fixture_write_by(f, f->target->guards ? "pry" : "poke", buffers[CHANGED], 90 + CHANGED - 1);
	if (f->ops->look(f->d, buffers, N, harms, &e))
		tap_ok(false, "many buffers are looked at: %s", e.text);
	for (int i = 0; i < N; i++)
		right += harms[i] == (i == STRAY     ? DEVICE_STRAY
				      : i == CHANGED ? DEVICE_CHANGED
						     : DEVICE_UNHARMED);
	tap_int(right, N, "of many buffers each has its own harm");
	for (int i = 0; i < N; i++)
		f->ops->release(f->d, buffers[i]);
}

static const struct device_mask mask = {{0x0123456789abcdef, 0xfedcba9876543210, 42}};

/* Writes a reference, masked. */
static void put_reference(struct fixture *f, struct device_buffer *b, const double *numbers,
			  size_t n)
{
	double *masked = malloc(n * sizeof *masked);
	struct asc_err e;

	device_mask_apply(&mask, 0, numbers, n, masked);
	if (f->ops->write(f->d, b, masked, n * sizeof *masked, &e))
		tap_ok(false, "a reference is written: %s", e.text);
	free(masked);
}

/* Elements with known errors against a reference of i: 0.5 at 3, twice 1 at 70001, NaN at the last
 * one; written as `type`. */
static void compare(struct fixture *f, enum dtype type, double scale)
{
	enum { N = 100001 };
	const struct device_tolerance how = {.type = type, .count = N, .atol = 0.25, .mask = mask};
	/* A float of 8 bits holds a few integers. */
	const int n_values = dtype_is_float(type) && dtype_bytes(type) == 1 ? 4 : 100;
	double *numbers = malloc(N * sizeof *numbers);
	void *elements = malloc(N * sizeof *numbers);
	struct device_buffer *out = fixture_alloc(f, N * dtype_bytes(type), 0);
	struct device_buffer *reference = fixture_alloc(f, N * sizeof *numbers, 0);
	struct device_difference d;
	struct asc_err e;

	for (int i = 0; i < N; i++)
		numbers[i] = scale * (double)(i % n_values);
	put_reference(f, reference, numbers, N);
	dtype_from_double(type, numbers, elements, N);
	(void)f->ops->write(f->d, out, elements, N * dtype_bytes(type), &e);
	tap_int(f->ops->compare(f->d, out, reference, &how, &d, &e), ASC_OK, "%s is compared",
		dtype_name(type));
	tap_ok(d.bad == 0 && d.first == -1 && d.max_abs == 0 && d.sum_abs == 0, "and equal");
	numbers[3] += 1;
	numbers[70001] += 2;
	if (dtype_is_float(type))
		numbers[N - 1] = NAN;
	dtype_from_double(type, numbers, elements, N);
	(void)f->ops->write(f->d, out, elements, N * dtype_bytes(type), &e);
	tap_int(f->ops->compare(f->d, out, reference, &how, &d, &e), ASC_OK, "again");
	tap_int(d.bad, dtype_is_float(type) ? 3 : 2, "elements that differ are counted");
	tap_int(d.not_finite, dtype_is_float(type), "so is what is no number");
	tap_int(d.first, 3, "the first is known");
	tap_ok(d.first_out == 3 * scale + 1 && d.first_reference == 3 * scale, "with its values");
	tap_ok(d.max_abs == 2 && d.sum_abs == 3, "largest error %g, sum %g", d.max_abs, d.sum_abs);
	tap_ok(d.max_rel == fmax(1 / (3 * scale), 2 / scale), "largest relative error %g",
	       d.max_rel);
	f->ops->release(f->d, out);
	f->ops->release(f->d, reference);
	free(elements);
	free(numbers);
}

/* All codes of a float of 8 bits against what they stand for. */
static void compare_codes(struct fixture *f, enum dtype type)
{
	enum { N = 256 };
	const struct device_tolerance how = {.type = type, .count = N, .exact = true, .mask = mask};
	uint8_t codes[N];
	double numbers[N];
	struct device_buffer *b = fixture_alloc(f, sizeof codes, 0);
	struct device_buffer *reference = fixture_alloc(f, sizeof numbers, 0);
	struct device_difference d;
	struct asc_err e;

	for (int i = 0; i < N; i++)
		codes[i] = (uint8_t)i;
	dtype_to_double(type, codes, numbers, N);
	(void)f->ops->write(f->d, b, codes, sizeof codes, &e);
	put_reference(f, reference, numbers, N);
	tap_int(f->ops->compare(f->d, b, reference, &how, &d, &e), ASC_OK, "all codes of %s",
		dtype_name(type));
	tap_ok(d.bad == 0, "have their values: %d differ, first %d", (int)d.bad, (int)d.first);
	f->ops->release(f->d, b);
	f->ops->release(f->d, reference);
}

/* 0.25 more than allowed anywhere else; a zero of another sign; a NaN that both have. */
static void compare_exactly(struct fixture *f)
{
	enum { N = 1000 };
	const struct device_tolerance how = {
		.type = DTYPE_F32, .count = N, .atol = 0.5, .exact = true, .mask = mask};
	float out[N] = {[7] = -0.0F, [900] = 0.25F, [999] = NAN};
	double numbers[N] = {[999] = NAN};
	struct device_buffer *b = fixture_alloc(f, sizeof out, 0);
	struct device_buffer *reference = fixture_alloc(f, sizeof numbers, 0);
	struct device_difference d;
	struct asc_err e;

	(void)f->ops->write(f->d, b, out, sizeof out, &e);
	put_reference(f, reference, numbers, N);
	tap_int(f->ops->compare(f->d, b, reference, &how, &d, &e), ASC_OK, "compared exactly");
	tap_ok(d.bad == 2 && d.first == 7, "%d elements differ, first %d", (int)d.bad,
	       (int)d.first);
	tap_real(d.max_abs, 0.25, 0, "the largest error");
	f->ops->release(f->d, b);
	f->ops->release(f->d, reference);
}

void check_compare(struct fixture *f)
{
	if (!f->ops->compare) {
		tap_skip("%s does not compare: that is done by the host", f->ops->name);
		return;
	}
	for (int t = 0; t < DTYPE_COUNT; t++)
		if (t != DTYPE_BOOL)
			compare(f, (enum dtype)t, 1);
	compare_codes(f, DTYPE_F8E4M3);
	compare_codes(f, DTYPE_F8E5M2);
	compare_exactly(f);
}

/* Runs a bound kernel once, with half of what it could have at a time or with all. */
static enum asc_status run_part(struct fixture *f, struct device_kernel *k, bool half,
				struct asc_err *e)
{
	const struct device_sequence s = {&k, 1};
	const struct device_batch batch = {.samples = 1, .launches = 1};
	int64_t ns = 0;

	if (f->ops->halve(f->d, &s, half, e))
		return e->status;
	tap_int(f->ops->run(f->d, &s, &batch, &ns, e), ASC_OK, "runs with %s of it",
		half ? "half" : "all");
	return ASC_OK;
}

/* Threads of a CPU: half of four are the first two. */
static void check_half_threads(struct fixture *f)
{
	enum { CALLS = 64 };
	int32_t threads[CALLS];
	struct call c;
	struct asc_err e;
	int most = 0, least = CALLS;

	call_init(&c, "who", DTYPE_I32);
	(void)call_add(&c, ARG_TENSOR);
	call_add(&c, ARG_BUILTIN)->builtin = BUILTIN_BLOCK_X;
	call_add(&c, ARG_BUILTIN)->builtin = BUILTIN_THREAD;
	c.plan.grid[0] = CALLS;
	c.tensors[0] = fixture_alloc(f, sizeof threads, 0);
	struct device_kernel *k = fixture_load(f, &c);

	if (k && !f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e))
		tap_int(run_part(f, k, true, &e), ASC_ABSENT, "one thread: %s", e.text);
	c.plan.threads = 4;
	if (k && !f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e)) {
		tap_int(run_part(f, k, true, &e), ASC_OK, "half of four threads");
		fixture_read(f, c.tensors[0], threads, sizeof threads);
		for (size_t i = 0; i < CALLS; i++) {
			most = threads[i] > most ? threads[i] : most;
			least = threads[i] < least ? threads[i] : least;
		}
		tap_ok(least >= 1 && most <= 2, "make all calls");
		tap_int(run_part(f, k, false, &e), ASC_OK, "all four again");
	}
	f->ops->unload(f->d, k);
	f->ops->release(f->d, c.tensors[0]);
}

void check_halve(struct fixture *f)
{
	int32_t counts[25];
	struct call c;
	struct asc_err e;

	if (!f->ops->halve) {
		tap_skip("%s cannot leave a part of itself out", f->ops->name);
		return;
	}
	if (f->target->threads) {
		check_half_threads(f);
		return;
	}
	call_init(&c, "visit", DTYPE_I32);
	(void)call_add(&c, ARG_TENSOR);
	memcpy(c.plan.grid, (int64_t[]){2, 3, 4}, sizeof c.plan.grid);
	c.tensors[0] = fixture_alloc(f, sizeof counts, 0);
	struct device_kernel *k = fixture_load(f, &c);

	if (k && !f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e))
		tap_int(run_part(f, k, true, &e), ASC_ABSENT, "24 blocks: %s", e.text);
	memcpy(c.plan.grid, (int64_t[]){1 << 16, 1, 1}, sizeof c.plan.grid);
	if (k && !f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e)) {
		tap_int(run_part(f, k, true, &e), ASC_OK, "half of many blocks");
		fixture_read(f, c.tensors[0], counts, sizeof counts);
		tap_ok(counts[0] == 1 && counts[1] == 1 && counts[24] == 1, "are made");
		tap_int(run_part(f, k, false, &e), ASC_OK, "all again");
	}
	f->ops->unload(f->d, k);
	f->ops->release(f->d, c.tensors[0]);
}

void check_facts(struct fixture *f)
{
	struct result r;
	struct call c;
	struct asc_err e;

	if (!f->ops->facts) {
		tap_skip("%s does not tell what a kernel takes", f->ops->name);
		return;
	}
	result_init(&r);
	call_init(&c, "poke", DTYPE_U8);
	(void)call_add(&c, ARG_TENSOR);
	call_add_scalar(&c, DTYPE_I64, value_int(0));
	c.plan.shared_bytes = 100000;
	c.tensors[0] = fixture_alloc(f, 1, 0);
	struct device_kernel *k = fixture_load(f, &c);
	if (k && tap_int(f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e), ASC_OK,
			 "bound with much shared memory"))
		tap_int(f->ops->facts(&(struct device_sequence){&k, 1}, &r, &e), ASC_OK,
			"it tells what the kernel takes");
	tap_ok(find_metric(&r, "registers") > 0 && find_metric(&r, "registers") < 256,
	       "%g registers", find_metric(&r, "registers"));
	tap_int(find_metric(&r, "local_bytes"), 0, "none of them spilled");
	tap_int(find_metric(&r, "shared_bytes"), 100000, "and the launch's shared memory");
	result_fini(&r);
	c.plan.shared_bytes = INT64_C(1) << 30;
	tap_int(k ? f->ops->bind(f->d, k, &c.plan, c.tensors, c.scratch, &e) : ASC_OK, ASC_LIMIT,
		"a gigabyte of it is refused");
	f->ops->unload(f->d, k);
	f->ops->release(f->d, c.tensors[0]);
}

static void meet(struct fixture *f, int64_t cluster)
{
	int32_t sizes[8] = {0};
	struct call c;

	call_init(&c, "meet", DTYPE_I32);
	(void)call_add(&c, ARG_TENSOR);
	call_add(&c, ARG_TENSOR)->tensor = 1;
	c.types[1] = DTYPE_I32;
	c.tensors[0] = fixture_alloc(f, sizeof sizes, 0);
	c.tensors[1] = fixture_alloc(f, sizeof(int32_t), 0);
	c.plan.grid[0] = 8;
	c.plan.cluster[0] = cluster;
	c.plan.cooperative = 1;
	(void)fixture_run(f, &c, 1);
	fixture_read(f, c.tensors[0], sizes, sizeof sizes);
	for (size_t i = 0; i < 8; i++)
		tap_int(sizes[i], cluster, "block %zu met the others, in a cluster of %d", i,
			(int)cluster);
	f->ops->release(f->d, c.tensors[0]);
	f->ops->release(f->d, c.tensors[1]);
}

void check_blocks(struct fixture *f)
{
	if (!f->target->blocks) {
		tap_skip("%s has no blocks that could meet", f->ops->name);
		return;
	}
	meet(f, 1);
	if (f->info.facts.value[FACT_COMPUTE_CAPABILITY] >= 90)
		meet(f, 4);
	else
		tap_skip("clusters begin with compute capability 9");
}

/* Binds the tensor map at another place of its memory, which no map can describe. */
static void check_map_refused(struct fixture *f, const struct call *c, int64_t offset_bytes,
			      int64_t stride, const char *words)
{
	struct device_kernel *k = fixture_load(f, c);
	struct plan plan = c->plan;
	struct asc_err e = {0};

	plan.arguments[0].offset_bytes = offset_bytes;
	plan.arguments[0].strides[1] = stride;
	if (!k)
		return;
	tap_int(f->ops->bind(f->d, k, &plan, c->tensors, c->scratch, &e), ASC_LIMIT,
		"a tensor map is refused");
	tap_has(e.text, words, "%s", words);
	f->ops->unload(f->d, k);
}

void check_tile(struct fixture *f)
{
	/* A view: of rows of 68 elements the first 64, from the fourth row's fifth element on. */
	enum { ROWS = 24, COLUMNS = 64, ROW = 68, FIRST = 3 * ROW + 4 };
	float in[FIRST + ROWS * ROW], out[8 * 16] = {0};
	int wrong = 0;
	struct call c;
	struct asc_err e;

	if (!f->target->blocks || f->info.facts.value[FACT_COMPUTE_CAPABILITY] < 90) {
		tap_skip("%s has no tensor maps", f->ops->name);
		return;
	}
	for (size_t i = 0; i < sizeof in / sizeof *in; i++)
		in[i] = (float)i;
	call_init(&c, "tile", DTYPE_F32);
	*call_add(&c, ARG_TENSOR_MAP) = (struct bound_argument){.kind = ARG_TENSOR_MAP,
								.type = DTYPE_F32,
								.rank = 2,
								.shape = {ROWS, COLUMNS},
								.strides = {ROW, 1},
								.offset_bytes = FIRST * sizeof *in,
								.scattered = true,
								.box = {8, 16},
								.swizzle = "none"};
	call_add(&c, ARG_TENSOR)->tensor = 1;
	c.tensors[0] = fixture_alloc(f, sizeof in, 0);
	c.tensors[1] = fixture_alloc(f, sizeof out, 0);
	c.plan.block[0] = 8 * 16;
	(void)f->ops->write(f->d, c.tensors[0], in, sizeof in, &e);
	(void)fixture_run(f, &c, 1);
	fixture_read(f, c.tensors[1], out, sizeof out);
	for (int i = 0; i < 8 * 16; i++)
		wrong += out[i] != in[FIRST + (8 + i / 16) * ROW + 16 + i % 16];
	tap_int(wrong, 0, "a tile of a view is copied by its tensor map");
	check_map_refused(f, &c, 4 * sizeof *in + 8, 1, "begins 8 bytes behind one");
	check_map_refused(f, &c, 0, 2, "not a stride of 2 elements");
	f->ops->release(f->d, c.tensors[0]);
	f->ops->release(f->d, c.tensors[1]);
}

/* Memory of the host that the device reaches: kernels read and write it, and its zones tell. */
void check_host(struct fixture *f)
{
	enum { BYTES = 1000 };
	unsigned char data[BYTES], have[BYTES];
	struct device_buffer *b;
	struct asc_err e;

	if (!f->ops->alloc_host) {
		tap_skip("the memory of %s is the host's", f->ops->name);
		return;
	}
	if (!f->ops->reaches_host) {
		tap_skip("kernels of %s do not reach the host's memory", f->ops->name);
		return;
	}
	if (!tap_int(f->ops->alloc_host(f->d, BYTES, &b, &e), ASC_OK, "a buffer of the host"))
		return;
	for (size_t i = 0; i < BYTES; i++)
		data[i] = (unsigned char)(i * 7);
	tap_ok((uintptr_t)f->ops->address(b) % 64 == 0, "it is aligned");
	tap_int(f->ops->write(f->d, b, data, BYTES, &e), ASC_OK, "it is written");
	tap_ok(memcmp(f->ops->address(b), data, BYTES) == 0, "the host has it at its address");
	fixture_poke(f, b, 999);
	data[999] = 7; /* poke.c, poke.cu */
	tap_int(f->ops->read(f->d, b, have, BYTES, &e), ASC_OK, "it is read");
	tap_ok(memcmp(have, data, BYTES) == 0, "with what a kernel wrote");
	tap_int(fixture_look(f, b), DEVICE_UNHARMED, "nothing was written around it");
	fixture_poke(f, b, BYTES);
	tap_int(fixture_look(f, b), DEVICE_STRAY, "a kernel's write behind it is noticed");
	tap_int(f->ops->fill(f->d, b, 0x5A, &e), ASC_OK, "it is filled");
	tap_int(f->ops->protect(f->d, b, true, &e), ASC_OK, "and protected");
	fixture_read(f, b, have, 1);
	tap_int(have[0], 0x5A, "with the byte");
	f->ops->release(f->d, b);
}
