/* workloads/rms_norm/kernel.c and workloads/softmax/kernel.c by themselves: compiled as the builder
 * does, called directly and compared with their references and with what must hold of the results,
 * worked out here.
 * covers: workloads/rms_norm/kernel.c workloads/softmax/kernel.c */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tests/compile.h"
#include "tests/fenced.h"
#include "tests/tap.h"

typedef void norm_fn(const void *, const void *, void *, int64_t, int64_t, int64_t, int64_t,
		     int64_t, float, int64_t, int64_t);
typedef void norm_reference_fn(const double *, const double *, double *, int64_t, double, int64_t);
typedef void softmax_fn(const void *, void *, int64_t, int64_t, int64_t, int64_t);
typedef void softmax_reference_fn(const double *, double *, int64_t, int64_t);

enum { MAX_COUNT = 5 * 1001, BLOCK = 2 /* rows of a call */ };

static struct kernel {
	enum dtype t;
	int64_t sums;
	struct compilation norm_compilation, softmax_compilation;
	norm_fn *norm;
	softmax_fn *softmax;
} kernels[] = {{DTYPE_F32, 1, .norm = NULL},
	       {DTYPE_F32, 8, .norm = NULL},
	       {DTYPE_BF16, 4, .norm = NULL},
	       {DTYPE_F16, 2, .norm = NULL}};
enum { N_KERNELS = sizeof kernels / sizeof *kernels };

static const struct shape {
	int64_t m, n;
} shapes[] = {{1, 1}, {3, 40}, {2, 64}, {5, 1001}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static norm_reference_fn *norm_reference;
static softmax_reference_fn *softmax_reference;
static char *ends[3];
static double x[MAX_COUNT], weight[MAX_COUNT], out[MAX_COUNT], want[MAX_COUNT];

static bool start(struct kernel *k)
{
	compile_define(&k->norm_compilation, "SUMS", k->sums);
	compile_define(&k->softmax_compilation, "SUMS", k->sums);
	if (k->sums > 2) {
		compile_define(&k->norm_compilation, "STREAM", 1);
		compile_define(&k->softmax_compilation, "STREAM", 1);
		compile_define(&k->softmax_compilation, "PREFETCH", 1);
	}
	return compile_start(&k->norm_compilation, "workloads/rms_norm/kernel.c", k->t) &&
	       compile_start(&k->softmax_compilation, "workloads/softmax/kernel.c", k->t);
}

static bool load(struct kernel *k)
{
	*(void **)&k->norm = compile_load(&k->norm_compilation, "rms_norm");
	*(void **)&k->softmax = compile_load(&k->softmax_compilation, "softmax");
	return k->norm && k->softmax;
}

static bool load_all(void)
{
	struct compilation norm = {0}, softmax = {0};
	bool ok = compile_start(&norm, "workloads/rms_norm/reference.c", DTYPE_F64) &&
		  compile_start(&softmax, "workloads/softmax/reference.c", DTYPE_F64);
	for (int i = 0; i < N_KERNELS; i++)
		ok = ok && start(&kernels[i]);
	if (!ok)
		return false;
	*(void **)&norm_reference = compile_load(&norm, "rms_norm_reference");
	*(void **)&softmax_reference = compile_load(&softmax, "softmax_reference");
	for (int i = 0; i < N_KERNELS; i++)
		ok &= load(&kernels[i]);
	return ok && norm_reference && softmax_reference;
}

static bool reserve(void)
{
	bool ok = true;
	for (int i = 0; i < 3; i++)
		ok &= (ends[i] = fenced_new(MAX_COUNT * sizeof(float))) != NULL;
	return ok;
}

/* Uniform, with the given mean and variance 1. */
static void fill(double *to, int64_t n, double mean, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		to[i] = mean + ((double)(seed >> 40) * 0x1p-23 - 1) * 1.7320508;
	}
}

/* The largest error over its tolerance; NaN counts as infinite. `rtol` is that of float. */
static double worst(const struct kernel *k, const struct shape *s, double rtol)
{
	const double rounding = k->t == DTYPE_F32 ? 0 : k->t == DTYPE_F16 ? 0x1p-10 : 0x1p-7;
	const double atol = k->t == DTYPE_F16 ? 0x1p-24 : 0x1p-126;
	double most = 0;
	for (int64_t i = 0; i < s->m * s->n; i++) {
		const double limit = atol + (rounding + rtol) * fabs(want[i]);
		const double ratio = fabs(out[i] - want[i]) / limit;
		if (isnan(ratio))
			return INFINITY;
		most = ratio > most ? ratio : most;
	}
	return most;
}

static void *poison(const struct kernel *k, const struct shape *s)
{
	for (int64_t i = 0; i < s->m * s->n; i++)
		out[i] = NAN;
	return fenced_put(ends[2], k->t, out, s->m * s->n);
}

static double check_norm(const struct kernel *k, const struct shape *s)
{
	fill(x, s->m * s->n, 0, 1);
	fill(weight, s->n, 1, 2);
	const void *left = fenced_put(ends[0], k->t, x, s->m * s->n);
	const void *right = fenced_put(ends[1], k->t, weight, s->n);
	void *to = poison(k, s);
	for (int64_t i = 0; i < (s->m + BLOCK - 1) / BLOCK; i++)
		k->norm(left, right, to, s->m, 1, s->n, s->n, s->n, 1e-6F, BLOCK, i);
	fenced_take(ends[2], k->t, out, s->m * s->n);
	for (int64_t i = 0; i < s->m; i++)
		norm_reference(x, weight, want, s->n, 1e-6, i);
	return worst(k, s, (2 * sqrt((double)s->n) + 8) * 0x1p-24);
}

/* `offset`: added to all of x, of which the result does not depend. */
static double check_softmax(const struct kernel *k, const struct shape *s, double offset)
{
	fill(x, s->m * s->n, offset, 3);
	const void *from = fenced_put(ends[0], k->t, x, s->m * s->n);
	void *to = poison(k, s);
	for (int64_t i = 0; i < (s->m + BLOCK - 1) / BLOCK; i++)
		k->softmax(from, to, s->m, s->n, BLOCK, i);
	fenced_take(ends[2], k->t, out, s->m * s->n);
	for (int64_t i = 0; i < s->m; i++)
		softmax_reference(x, want, s->n, i);
	return worst(k, s, (4 * sqrt((double)s->n) + 128) * 0x1p-24);
}

/* 3 and 4 have the mean square 12.5; without epsilon 3 / sqrt(12.5) and 4 / sqrt(12.5). Of 0 and
 * log(3) the weights are 1/4 and 3/4. */
static void check_references(void)
{
	double two[2] = {3, 4}, ones[2] = {1, 2}, result[2];
	norm_reference(two, ones, result, 2, 0, 0);
	tap_real(result[0], 0.84852813742385702928, 1e-15, "3 / sqrt(12.5)");
	tap_real(result[1], 2 * 1.1313708498984760390, 1e-15, "twice 4 / sqrt(12.5)");
	two[0] = 0;
	two[1] = 1.0986122886681098;
	softmax_reference(two, result, 2, 0);
	tap_real(result[0], 0.25, 1e-15, "1/4");
	tap_real(result[1], 0.75, 1e-15, "3/4");
}

static void check_kernel(const struct kernel *k)
{
	double norm = 0, softmax = 0, far = 0;
	for (int i = 0; i < N_SHAPES; i++) {
		norm = fmax(norm, check_norm(k, &shapes[i]));
		softmax = fmax(softmax, check_softmax(k, &shapes[i], 0));
		far = fmax(far, check_softmax(k, &shapes[i], 1000));
	}
	const char *t = dtype_name(k->t);
	tap_ok(norm <= 1, "%s, %" PRId64 " sums: rms_norm is right (%.3f)", t, k->sums, norm);
	tap_ok(softmax <= 1, "softmax, too (%.3f)", softmax);
	tap_ok(far <= 1, "of large numbers, too (%.3f)", far);
	memset(x, 0, sizeof x);
	x[1] = -200;
	const struct shape row = {1, 3};
	const void *from = fenced_put(ends[0], k->t, x, 3);
	k->softmax(from, poison(k, &row), 1, 3, BLOCK, 0);
	fenced_take(ends[2], k->t, out, 3);
	tap_ok(out[0] == 0.5 && out[1] == 0 && out[2] == 0.5, "what is far below has no weight");
}

int main(void)
{
	if (tap_ok(reserve() && load_all(), "kernels and references compile and load")) {
		check_references();
		for (int i = 0; i < N_KERNELS; i++)
			check_kernel(&kernels[i]);
	}
	return tap_done();
}
