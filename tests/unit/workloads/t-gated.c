/* workloads/geglu and workloads/gated_mlp: their references beside values worked out by hand, their
 * kernels, compiled as the builder does and called directly, beside the references.
 * covers: workloads/geglu workloads/gated_mlp */
#include <inttypes.h>
#include <math.h>

#include "tests/compile.h"
#include "tests/fenced.h"
#include "tests/tap.h"

typedef void geglu_fn(const void *, const void *, void *, int64_t, int64_t, int64_t, int64_t,
		      int64_t, int64_t, int64_t);
typedef void geglu_reference_fn(const double *, const double *, double *, int64_t, int64_t);
typedef void gate_fn(const void *, const void *, void *, int64_t, int64_t, int64_t);
typedef void mlp_fn(const void *, const void *, const void *, void *, int64_t, int64_t, int64_t,
		    int64_t, int64_t);
typedef void mlp_reference_fn(const double *, const double *, const double *, double *, int64_t,
			      int64_t, int64_t, int64_t);

enum { MAX_COUNT = 1 << 14, ROWS = 4, BLOCK_N = 32, BLOCK_SIZE = 100 };

static geglu_reference_fn *geglu_reference;
static mlp_reference_fn *mlp_reference;
static double x[MAX_COUNT], a[MAX_COUNT], b[MAX_COUNT], out[MAX_COUNT], want[MAX_COUNT];
static char *ends[4];

static void *load(const char *source, const char *entry, enum dtype t)
{
	struct compilation c = {0};
	if (t != DTYPE_F64) { /* the references have no parameters */
		compile_define(&c, "ROWS", ROWS);
		compile_define(&c, "BLOCK_N", BLOCK_N);
		compile_define(&c, "UNROLL", 2);
	}
	return compile_start(&c, source, t) ? compile_load(&c, entry) : NULL;
}

/* Uniform, with the given variance. */
static void fill(double *to, int64_t n, double deviation, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		to[i] = ((double)(seed >> 40) * 0x1p-23 - 1) * 1.7320508 * deviation;
	}
}

/* The largest error over its tolerance; NaN counts as infinite. */
static double worst(enum dtype t, int64_t n, double atol, double rtol)
{
	const double rounding = t == DTYPE_F32 ? 0 : t == DTYPE_F16 ? 0x1p-10 : 0x1p-7;
	double most = 0;
	fenced_take(ends[3], t, out, n);
	for (int64_t i = 0; i < n; i++) {
		const double ratio =
			fabs(out[i] - want[i]) / (atol + (rounding + rtol) * fabs(want[i]));
		if (isnan(ratio))
			return INFINITY;
		most = ratio > most ? ratio : most;
	}
	return most;
}

static void *poison(enum dtype t, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = NAN;
	return fenced_put(ends[3], t, out, n);
}

/* tanh(sqrt(2 / pi) 1.044715) = 0.682384, so that gelu(1) = 0.841192; gelu(-x) = gelu(x) - x. */
static void check_geglu_reference(void)
{
	const double gate[3] = {1, -1, 0}, value[3] = {2, 2, 5};
	double result[3];
	geglu_reference(gate, value, result, 3, 0);
	tap_real(result[0], 2 * 0.84119199, 1e-7, "twice gelu(1)");
	tap_real(result[1], result[0] - 2, 1e-15, "twice gelu(-1) is less by 2");
	tap_ok(result[2] == 0, "gelu(0) is 0");
}

static void check_geglu(enum dtype t, int64_t n)
{
	geglu_fn *kernel = NULL;
	*(void **)&kernel = load("workloads/geglu/kernel.c", "geglu", t);
	if (!tap_ok(kernel != NULL, "geglu of %s", dtype_name(t)))
		return;
	fill(a, n, 3, 1);
	fill(b, n, 1, 2);
	const void *gate = fenced_put(ends[0], t, a, n), *value = fenced_put(ends[1], t, b, n);
	void *to = poison(t, n);
	for (int64_t i = 0; i * BLOCK_SIZE < n; i++)
		kernel(gate, value, to, 1, n, n, n, n, BLOCK_SIZE, i);
	geglu_reference(a, b, want, n, 0);
	const double part = worst(t, n, t == DTYPE_F16 ? 0x1p-24 : 0x1p-45, 200 * 0x1p-24);
	tap_ok(part <= 1, "%" PRId64 " elements are right (%.3f)", n, part);
}

/* silu(g) h within a few units in the last place, and the rounding to the type. */
static void check_gate(enum dtype t, int64_t n)
{
	gate_fn *kernel = NULL;
	*(void **)&kernel = load("workloads/gated_mlp/gate.c", "gate", t);
	if (!tap_ok(kernel != NULL, "gate of %s", dtype_name(t)))
		return;
	fill(a, n, 4, 6);
	fill(b, n, 1, 7);
	const void *gates = fenced_put(ends[0], DTYPE_F32, a, n);
	const void *values = fenced_put(ends[1], DTYPE_F32, b, n);
	void *to = poison(t, n);
	for (int64_t i = 0; i * BLOCK_SIZE < n; i++)
		kernel(gates, values, to, n, BLOCK_SIZE, i);
	for (int64_t i = 0; i < n; i++) {
		const double gate = (double)(float)a[i], value = (double)(float)b[i];
		want[i] = gate / (1 + exp(-gate)) * value;
	}
	const double part = worst(t, n, t == DTYPE_F16 ? 0x1p-24 : 0x1p-45, 48 * 0x1p-24);
	tap_ok(part <= 1, "%" PRId64 " elements are gated (%.3f)", n, part);
}

/* One element: x a = 1 2 + 2 0.5 = 3, x b = 1 1 - 2 3 = -5; silu(3) = 3 / (1 + exp(-3)). */
static void check_mlp_reference(void)
{
	const double row[2] = {1, 2}, gate[2] = {2, 0.5}, value[2] = {1, -3};
	double result = 0;
	mlp_reference(row, gate, value, &result, 1, 1, 2, 0);
	tap_real(result, -5 * 2.8577223804673, 1e-12, "-5 silu(3)");
}

static void check_mlp(enum dtype t, int64_t m, int64_t n, int64_t k)
{
	mlp_fn *kernel = NULL;
	*(void **)&kernel = load("workloads/gated_mlp/kernel.c", "gated_mlp", t);
	if (!tap_ok(kernel != NULL, "gated_mlp of %s", dtype_name(t)))
		return;
	fill(x, m * k, 1, 3);
	fill(a, k * n, 1 / sqrt((double)k), 4);
	fill(b, k * n, 1 / sqrt((double)k), 5);
	const void *row = fenced_put(ends[0], t, x, m * k);
	const void *gate = fenced_put(ends[1], t, a, k * n);
	const void *value = fenced_put(ends[2], t, b, k * n);
	void *to = poison(t, m * n);
	for (int64_t i = 0; i * ROWS < m; i++)
		for (int64_t j = 0; j * BLOCK_N < n; j++)
			kernel(row, gate, value, to, m, n, k, i, j);
	for (int64_t i = 0; i * 8 < m; i++)
		mlp_reference(x, a, b, want, m, n, k, i);
	const double part =
		worst(t, m * n, 17 * (12.8 * sqrt((double)k) + 4) * 0x1p-24, 48 * 0x1p-24);
	tap_ok(part <= 1, "%" PRId64 " x %" PRId64 " x %" PRId64 " is right (%.3f)", m, n, k, part);
}

int main(void)
{
	static const enum dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
	*(void **)&geglu_reference =
		load("workloads/geglu/reference.c", "geglu_reference", DTYPE_F64);
	*(void **)&mlp_reference =
		load("workloads/gated_mlp/reference.c", "gated_mlp_reference", DTYPE_F64);
	for (int i = 0; i < 4; i++)
		ends[i] = fenced_new(MAX_COUNT * sizeof(double));
	if (tap_ok(geglu_reference && mlp_reference && ends[3],
		   "the references compile and load")) {
		check_geglu_reference();
		check_mlp_reference();
		for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
			check_geglu(types[i], 1);
			check_geglu(types[i], 1001);
			check_gate(types[i], 1);
			check_gate(types[i], 1001);
			check_mlp(types[i], 1, 1, 1);
			check_mlp(types[i], 13, 67, 70);
		}
	}
	return tap_done();
}
