/* workloads/gemm/kernel.c by itself: extreme configurations are compiled as the builder does,
 * called directly and compared with reference.c; small integers must come out exactly.
 * covers: workloads/gemm/kernel.c */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/compile.h"
#include "tests/fenced.h"
#include "tests/tap.h"

typedef void kernel_fn(const void *, const void *, void *, int64_t, int64_t, int64_t, void *,
		       int64_t, int64_t, int64_t);
typedef void reference_fn(const double *, const double *, double *, int64_t, int64_t, int64_t,
			  int64_t);

enum {
	MAX_SIDE = 261,
	MAX_COUNT = MAX_SIDE * MAX_SIDE,
	MAX_SCRATCH = 2 * (192 * 256 + 192 * 256 + 192 * 192) + 1,
	REFERENCE_ROWS = 8
};

static struct config {
	enum dtype t;
	int64_t m, n, k, rows, vectors, unroll;
	struct compilation compilation;
	kernel_fn *run;
} configs[] = {
	{DTYPE_F32, 48, 192, 128, 4, 3, 1, .run = NULL},
	{DTYPE_F32, 192, 96, 256, 6, 2, 4, .run = NULL},
	{DTYPE_F32, 24, 64, 1, 8, 1, 1, .run = NULL},
	{DTYPE_BF16, 96, 192, 128, 4, 2, 4, .run = NULL},
	{DTYPE_F16, 48, 192, 256, 6, 2, 1, .run = NULL},
};
enum { N_CONFIGS = sizeof configs / sizeof *configs };

struct shape {
	int64_t m, n, k;
};

static const struct shape shapes[] = {{1, 1, 1},       {1, 261, 40},   {261, 1, 17},
				      {7, 5, 261},     {48, 192, 128}, {49, 193, 129},
				      {130, 131, 257}, {100, 97, 3},   {193, 200, 64}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static reference_fn *reference;
static float scratch[MAX_SCRATCH];
static char *ends[3];
static double a[MAX_COUNT], b[MAX_COUNT], c[MAX_COUNT], want[MAX_COUNT];
static const float untouched = -12345;

static bool start(struct config *g)
{
	compile_define(&g->compilation, "BLOCK_M", g->m);
	compile_define(&g->compilation, "BLOCK_N", g->n);
	compile_define(&g->compilation, "BLOCK_K", g->k);
	compile_define(&g->compilation, "ROWS", g->rows);
	compile_define(&g->compilation, "VECTORS", g->vectors);
	compile_define(&g->compilation, "UNROLL", g->unroll);
	return compile_start(&g->compilation, "workloads/gemm/kernel.c", g->t);
}

static bool load_all(void)
{
	struct compilation r = {0};
	bool ok = compile_start(&r, "workloads/gemm/reference.c", DTYPE_F64);
	for (int i = 0; i < N_CONFIGS; i++)
		ok &= start(&configs[i]);
	if (!ok)
		return false;
	*(void **)&reference = compile_load(&r, "gemm_reference");
	ok = reference != NULL;
	for (int i = 0; i < N_CONFIGS; i++) {
		*(void **)&configs[i].run = compile_load(&configs[i].compilation, "gemm");
		ok &= configs[i].run != NULL;
	}
	return ok;
}

static bool reserve(void)
{
	bool ok = true;
	for (int i = 0; i < 3; i++)
		ok &= (ends[i] = fenced_new(MAX_COUNT * sizeof(float))) != NULL;
	return ok;
}

/* Uniform with variance 1. */
static void fill(double *x, int64_t n, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		x[i] = ((double)(seed >> 40) * 0x1p-23 - 1) * 1.7320508;
	}
}

/* -1, 0 and 1: sums of up to 261 products stay below 2^8, up to where bf16 has every integer. */
static void fill_small(double *x, int64_t n, uint64_t seed)
{
	fill(x, n, seed);
	for (int64_t i = 0; i < n; i++)
		x[i] = rint(x[i] / 1.8);
}

/* As the second of two threads; nothing outside of its part of the scratch may be written. */
static bool run(const struct config *g, const struct shape *t)
{
	const int64_t part = g->m * g->k + g->n * g->k + g->m * g->n;
	for (int64_t i = 0; i <= 2 * part; i++)
		scratch[i] = NAN;
	scratch[part - 1] = scratch[2 * part] = untouched;
	for (int64_t i = 0; i < t->m * t->n; i++)
		c[i] = NAN;
	const void *left = fenced_put(ends[0], g->t, a, t->m * t->k);
	const void *right = fenced_put(ends[1], g->t, b, t->k * t->n);
	void *out = fenced_put(ends[2], g->t, c, t->m * t->n);
	for (int64_t y = 0; y < (t->m + g->m - 1) / g->m; y++)
		for (int64_t x = 0; x < (t->n + g->n - 1) / g->n; x++)
			g->run(left, right, out, t->m, t->n, t->k, scratch, 1, x, y);
	fenced_take(ends[2], g->t, c, t->m * t->n);
	return scratch[part - 1] == untouched && scratch[2 * part] == untouched;
}

/* Of the inputs of the last run, as the type holds them. */
static void compute_reference(const struct shape *t)
{
	for (int64_t i = 0; i < (t->m + REFERENCE_ROWS - 1) / REFERENCE_ROWS; i++)
		reference(a, b, want, t->m, t->n, t->k, i);
}

/* The largest error over its tolerance (that of gemm.json); NaN counts as infinite. */
static double worst(const struct config *g, const struct shape *t)
{
	const double atol = (12.8 * (double)t->k + 4) * 0x1p-24;
	const double rtol = g->t == DTYPE_F32 ? 0x1p-23 : g->t == DTYPE_F16 ? 0x1p-10 : 0x1p-7;
	double most = 0;
	for (int64_t i = 0; i < t->m * t->n; i++) {
		const double ratio = fabs(c[i] - want[i]) / (atol + rtol * fabs(want[i]));
		if (isnan(ratio))
			return INFINITY;
		most = ratio > most ? ratio : most;
	}
	return most;
}

/* The reference is checked here, too: against the definition. */
static bool check_exact(const struct config *g, const struct shape *t)
{
	bool ok = true;
	fill_small(a, t->m * t->k, 3);
	fill_small(b, t->k * t->n, 4);
	run(g, t);
	for (int64_t i = 0; i < t->m; i++)
		for (int64_t j = 0; j < t->n; j++) {
			double sum = 0;
			for (int64_t l = 0; l < t->k; l++)
				sum += a[i * t->k + l] * b[l * t->n + j];
			ok &= c[i * t->n + j] == sum;
		}
	compute_reference(t);
	return ok && memcmp(c, want, sizeof *c * (size_t)(t->m * t->n)) == 0;
}

/* NaN in one row of A and one column of B may reach no other row and column of C. */
static bool check_apart(const struct config *g, const struct shape *t)
{
	const int64_t row = t->m / 2, column = t->n / 3;
	bool ok = true;
	fill_small(a, t->m * t->k, 3);
	fill_small(b, t->k * t->n, 4);
	for (int64_t l = 0; l < t->k; l++)
		a[row * t->k + l] = b[l * t->n + column] = NAN;
	run(g, t);
	for (int64_t i = 0; i < t->m; i++)
		for (int64_t j = 0; j < t->n; j++)
			ok &= isnan(c[i * t->n + j]) == (i == row || j == column);
	return ok;
}

static void check_config(const struct config *g)
{
	double error = 0;
	bool inside = true, exact = true, apart = true;
	char name[96];
	snprintf(name, sizeof name,
		 "%s, %" PRId64 " x %" PRId64 " x %" PRId64 ", %" PRId64 " x %" PRId64
		 ", unroll %" PRId64,
		 dtype_name(g->t), g->m, g->n, g->k, g->rows, g->vectors, g->unroll);
	for (int i = 0; i < N_SHAPES; i++) {
		const struct shape *t = &shapes[i];
		fill(a, t->m * t->k, 1);
		fill(b, t->k * t->n, 2);
		inside &= run(g, t);
		compute_reference(t);
		error = fmax(error, worst(g, t));
		exact &= check_exact(g, t);
		apart &= check_apart(g, t);
	}
	tap_note("%s: the largest error is %.3f of its tolerance", name, error);
	tap_ok(error <= 1, "%s: agrees with the reference", name);
	tap_ok(inside, "%s: writes inside of its scratch", name);
	tap_ok(exact, "%s: small integers are multiplied exactly", name);
	tap_ok(apart, "%s: rows and columns do not mix", name);
}

int main(void)
{
	if (tap_ok(reserve() && load_all(), "kernel.c and reference.c compile and load"))
		for (int i = 0; i < N_CONFIGS; i++)
			check_config(&configs[i]);
	return tap_done();
}
