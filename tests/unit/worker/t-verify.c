/* Outputs against references: tolerances, and what is said of a wrong one.
 * covers: verify.c */
#include "tuner/worker/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/device/device.h"
#include "tuner/worker/reference.h"
#include "tuner/workload/binding/binding.h"

enum { N = 4096 };

static const struct bound_tensor cube = {.present = true,
					 .dtype = DTYPE_F32,
					 .shape = {16, 16, 16},
					 .rank = 3,
					 .count = N,
					 .bytes = INT64_C(4) * N,
					 .atol = 1e-6};
static float out[N];
static double reference[N];

static void reset(void)
{
	for (size_t i = 0; i < N; i++) {
		reference[i] = 0.5;
		out[i] = 0.5F;
	}
}

static double distribution_p = 1e-6;

static struct verify_report compare(enum verify_kind kind, const struct bound_tensor *shape,
				    const void *data)
{
	struct tensor t = {.name = "out", .verify = {.kind = kind, .p = distribution_p}};
	struct verify_report r;
	struct asc_err e;

	verify_begin(&r);
	if (verify_tensor(&r, &t, shape, data, reference, NULL, &e))
		tap_ok(false, "%s", e.text);
	verify_end(&r);
	return r;
}

static void test_close(void)
{
	reset();
	struct verify_report r = compare(VERIFY_ALLCLOSE, &cube, out);
	tap_ok(!r.wrong && r.norms.known, "equal");
	tap_real(r.norms.max_abs, 0, 0, "without error");
	out[7] = 0.5F + 0x1p-21F;
	r = compare(VERIFY_ALLCLOSE, &cube, out);
	tap_ok(!r.wrong, "within the tolerance");
	tap_real(r.norms.max_abs, 0x1p-21, 0, "the error is known");
	tap_real(r.norms.max_rel, 0x1p-20, 0, "also relative to 0.5");
	tap_real(r.norms.mean_abs, 0x1p-21 / N, 1e-24, "and its mean");
	for (size_t i = 53; i < 65; i++)
		out[i] = 0.25F;
	r = compare(VERIFY_ALLCLOSE, &cube, out);
	tap_ok(r.wrong, "12 elements are off");
	tap_str(r.reason,
		"out: 12 of 4096 elements differ, the first out[0,3,5]: 0.25 instead of 0.5 "
		"(allowed 1e-06); largest error 0.25",
		"the reason");
	tap_int(r.norms.bad, 12, "counted");
}

static void test_relative(void)
{
	struct bound_tensor shape = cube;

	reset();
	shape.atol = 0;
	shape.rtol = 0.5;
	reference[4095] = -100;
	out[4095] = -149;
	tap_ok(!compare(VERIFY_ALLCLOSE, &shape, out).wrong, "49 of 100 with rtol 0.5");
	out[4095] = -151;
	struct verify_report r = compare(VERIFY_ALLCLOSE, &shape, out);
	tap_ok(r.wrong, "51 of 100");
	tap_has(r.reason, "[15,15,15]: -151 instead of -100 (allowed 50)", "the last element");
}

static void test_not_finite(void)
{
	reset();
	reference[0] = out[0] = NAN;
	reference[1] = out[1] = INFINITY;
	tap_ok(!compare(VERIFY_ALLCLOSE, &cube, out).wrong, "NaN and infinity where they belong");
	out[1] = -INFINITY;
	struct verify_report r = compare(VERIFY_ALLCLOSE, &cube, out);
	tap_ok(r.wrong && r.norms.bad == 1, "infinity of the other sign");
	tap_int(r.norms.not_finite, 0, "is not one where a number belongs");
	out[1] = 3;
	tap_ok(compare(VERIFY_ALLCLOSE, &cube, out).wrong, "a number where infinity belongs");
	struct bound_tensor shape = cube;
	shape.rtol = 1;
	tap_ok(compare(VERIFY_ALLCLOSE, &shape, out).wrong, "with a relative tolerance too");
	reset();
	memset(&out[100], 0xFF, sizeof out[100]);
	out[101] = INFINITY;
	r = compare(VERIFY_ALLCLOSE, &cube, out);
	tap_ok(r.wrong && r.norms.not_finite == 2, "what was never written, and an infinity");
	tap_has(r.reason, "NaN instead of 0.5", "shows the value");
	tap_has(r.reason, "2 not finite", "and how many");
	tap_real(r.norms.max_abs, 0, 0, "the norms are those of numbers");
}

static void test_zero_reference(void)
{
	reset();
	reference[9] = 0;
	out[9] = 5e-7F;
	struct verify_report r = compare(VERIFY_ALLCLOSE, &cube, out);
	tap_ok(!r.wrong, "near zero");
	tap_real(r.norms.max_rel, 0, 0, "no error relative to 0");
}

static void test_exact(void)
{
	struct bound_tensor shape = cube;
	int64_t whole[N];

	for (size_t i = 0; i < N; i++) {
		reference[i] = (double)i;
		whole[i] = (int64_t)i;
	}
	shape.dtype = DTYPE_I64;
	tap_ok(!compare(VERIFY_EXACT, &shape, whole).wrong, "equal integers");
	whole[3000]++;
	struct verify_report r = compare(VERIFY_EXACT, &shape, whole);
	tap_ok(r.wrong, "one is one too large");
	tap_str(r.reason,
		"out: 1 of 4096 elements differ, the first out[11,11,8]: 3001 instead of 3000; "
		"largest error 1",
		"the reason");
	/* 2^53 + 1 is no double. */
	reference[1] = 0x1p53;
	whole[3000]--;
	whole[1] = (INT64_C(1) << 53) + 1;
	tap_ok(compare(VERIFY_EXACT, &shape, whole).wrong, "bytes count, not their doubles");
	reset();
	reference[5] = 0.1;
	out[5] = 0.1F;
	tap_ok(!compare(VERIFY_EXACT, &cube, out).wrong, "0.1 is what it rounds to");
	out[6] = nextafterf(0.5F, 1);
	tap_ok(compare(VERIFY_EXACT, &cube, out).wrong, "one unit in the last place");
	reset();
	reference[5] = NAN;
	memset(&out[5], 0xFF, sizeof out[5]);
	tap_ok(!compare(VERIFY_EXACT, &cube, out).wrong, "NaN is NaN whatever its bits");
}

static void test_distribution(void)
{
	struct rng r;

	rng_init(&r, 1);
	for (size_t i = 0; i < N; i++) {
		reference[i] = rng_normal(&r);
		out[i] = (float)rng_normal(&r);
	}
	tap_ok(!compare(VERIFY_DISTRIBUTION, &cube, out).wrong, "two samples of one distribution");
	for (size_t i = 0; i < N; i++)
		out[i] *= 1.3F;
	struct verify_report report = compare(VERIFY_DISTRIBUTION, &cube, out);
	tap_ok(report.wrong, "a third wider");
	tap_has(report.reason, "Kolmogorov-Smirnov distance 0.0", "says how far apart");
	out[77] = NAN;
	report = compare(VERIFY_DISTRIBUTION, &cube, out);
	tap_has(report.reason, "1 of 4096 elements are not finite", "NaN belongs to none");
}

/* 20 numbers of which 9 lie beyond those of the reference: a distance of 0.45. By Stephens' formula
 * lambda = (sqrt(10) + 0.12 + 0.11 / sqrt(10)) * 0.45 = 1.4927, and p = 2 exp(-2 lambda^2) =
 * 0.0232, to four places. */
static void test_small_sample(void)
{
	struct bound_tensor few = cube;

	few.rank = 1;
	few.shape[0] = few.count = 20;
	few.bytes = 20 * sizeof *out;
	for (size_t i = 0; i < 20; i++) {
		reference[i] = (double)i;
		out[i] = i < 11 ? (float)i : 100;
	}
	distribution_p = 0.0233;
	tap_ok(compare(VERIFY_DISTRIBUTION, &few, out).wrong, "p is below 0.0233");
	distribution_p = 0.0231;
	tap_ok(!compare(VERIFY_DISTRIBUTION, &few, out).wrong, "and above 0.0231");
	distribution_p = 1e-6;
}

/* Percentage points of Kolmogorov's distribution as every table has them (Smirnov 1948). */
static void test_tail(void)
{
	tap_real(ks_tail(1.3581), 0.05, 1e-5, "5 %%");
	tap_real(ks_tail(1.6276), 0.01, 1e-5, "1 %%");
	tap_real(ks_tail(1.9495), 0.001, 1e-6, "0.1 %%");
	tap_real(ks_tail(0), 1, 0, "no distance");
	tap_real(ks_tail(0.2), 1, 1e-9, "hardly any");
}

static void test_merged(void)
{
	struct tensor a = {.name = "a"}, b = {.name = "b"};
	struct verify_report r;
	struct asc_err e;

	reset();
	verify_begin(&r);
	out[0] = 0.75F;
	verify_tensor(&r, &a, &cube, out, reference, NULL, &e);
	out[0] = 1.5F;
	verify_tensor(&r, &b, &cube, out, reference, NULL, &e);
	verify_end(&r);
	tap_real(r.norms.max_abs, 1, 0, "the largest error of two tensors");
	tap_real(r.norms.mean_abs, 1.25 / (2 * N), 1e-15, "the mean over both");
	tap_int(r.norms.bad, 2, "all bad elements");
	tap_has(r.reason, "a: 1 of", "the first wrong tensor is named");
	verify_begin(&r);
	verify_end(&r);
	tap_ok(!r.norms.known, "nothing compared: nothing known");
}

static void find_given(void *user, const struct tensor *t, struct verify_traces *traces)
{
	(void)t;
	*traces = *(const struct verify_traces *)user;
}

/* A kernel has left the last elements alone, as NaN, and may have computed others wrong. */
static void test_unwritten(void)
{
	const struct tensor t = {.name = "out"};
	struct verify_traces traces = {.unwritten = 6};
	struct verify_report r;
	struct asc_err e;

	reset();
	for (size_t i = N - 6; i < N; i++)
		out[i] = NAN;
	verify_begin(&r);
	r.find_traces = find_given;
	r.user = &traces;
	verify_tensor(&r, &t, &cube, out, reference, NULL, &e);
	tap_str(r.reason,
		"out: 6 of 4096 elements never written, the first out[15,15,10] (expected 0.5); "
		"the "
		"others are right",
		"nothing else is wrong");
	out[2] = 0.25F;
	r.wrong = false;
	verify_tensor(&r, &t, &cube, out, reference, NULL, &e);
	tap_str(r.reason,
		"out: 7 of 4096 elements differ, the first out[0,0,2]: 0.25 instead of 0.5 "
		"(allowed "
		"1e-06); 6 of them never written",
		"one is");
	for (size_t i = 0; i < N; i++)
		out[i] = NAN;
	traces.unwritten = N;
	reference[0] = INFINITY;
	r.wrong = false;
	verify_tensor(&r, &t, &cube, out, reference, NULL, &e);
	tap_str(r.reason,
		"out: 4096 of 4096 elements never written, the first out[0,0,0] (expected inf)",
		"nothing is right");
}

/* The first row of a cube is to be left alone: it is compared with what was there, in each kind of
 * comparison, and a kernel that has written all of it has its own sentence. */
static void test_left(void)
{
	static const enum verify_kind kinds[] = {VERIFY_ALLCLOSE, VERIFY_EXACT,
						 VERIFY_DISTRIBUTION};
	static float before[N];
	struct verify_traces traces = {.overwritten = 16};
	struct verify_report r;
	struct asc_err e;

	reset();
	for (size_t i = 0; i < 16; i++) {
		reference[i] = reference_left();
		out[i] = before[i] = 0x1.8p60F + (float)i * 0x1p40F;
	}
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		const struct tensor t = {.name = "out", .verify = {.kind = kinds[k], .p = 1e-6}};

		verify_begin(&r);
		verify_tensor(&r, &t, &cube, out, reference, before, &e);
		verify_end(&r);
		tap_ok(!r.wrong && r.norms.max_abs == 0, "kind %d: left alone, without an error",
		       (int)kinds[k]);
		out[3] = 0;
		tap_int(verify_count_overwritten(&cube, out, reference, before), 1, "one is not");
		verify_begin(&r);
		verify_tensor(&r, &t, &cube, out, reference, before, &e);
		tap_ok(r.wrong, "kind %d: it is wrong", (int)kinds[k]);
		out[3] = before[3];
	}
	tap_has(r.reason,
		"out: 1 of 4096 elements overwritten, which the program's own configuration leaves "
		"alone",
		"a distribution has its sentence");
	memset(out, 0, 16 * sizeof *out);
	verify_begin(&r);
	r.find_traces = find_given;
	r.user = &traces;
	verify_tensor(&r, &(struct tensor){.name = "out"}, &cube, out, reference, before, &e);
	tap_str(r.reason,
		"out: 16 of 4096 elements overwritten, the first out[0,0,0] with 0: the program's "
		"own "
		"configuration leaves them alone; the others are right",
		"so have elements");
	tap_ok(!reference_is_left(NAN) && !reference_is_left(-NAN) &&
		       reference_is_left(reference_left()),
	       "no other NaN is the mark");
}

/* What a device has found says the same as what is found here. */
static void test_found(void)
{
	const struct device_difference found = {.max_abs = 0.25,
						.sum_abs = 0.75,
						.max_rel = 0.5,
						.bad = 2,
						.not_finite = 1,
						.first = 2 * 256 + 3 * 16 + 5,
						.first_out = 0.25,
						.first_reference = 0.5};
	const struct tensor t = {.name = "out"};
	struct verify_report here, there;

	reset();
	out[2 * 256 + 3 * 16 + 5] = 0.25F;
	out[N - 1] = NAN;
	here = compare(VERIFY_ALLCLOSE, &cube, out);
	verify_begin(&there);
	verify_found(&there, &t, &cube, &found);
	verify_end(&there);
	tap_ok(there.wrong && there.norms.bad == 2 && there.norms.not_finite == 1, "counted");
	tap_real(there.norms.mean_abs, 0.75 / N, 0, "the mean is of all elements");
	tap_ok(there.norms.max_abs == 0.25 && there.norms.max_rel == 0.5, "the largest errors");
	tap_str(there.reason, here.reason, "said in the same words");
}

int main(void)
{
	test_close();
	test_relative();
	test_not_finite();
	test_zero_reference();
	test_exact();
	test_distribution();
	test_small_sample();
	test_tail();
	test_merged();
	test_unwritten();
	test_left();
	test_found();
	return tap_done();
}
