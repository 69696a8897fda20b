/* Kernels of element-wise operators by themselves: compiled as the builder does, called directly on
 * tensors that end where memory ends, with gaps between their rows, and in place. The references
 * beside numbers worked out by hand.
 * covers: workloads/add workloads/mul workloads/cast workloads/cat workloads/swiglu
 * workloads/silu_and_mul workloads/cpu/rows.h */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/compile.h"
#include "tests/fenced.h"
#include "tests/tap.h"

/* Two inputs, one, and alpha: m, n, a stride for each tensor, block, block_x. */
typedef void two_fn(const void *, const void *, void *, int64_t, int64_t, int64_t, int64_t, int64_t,
		    int64_t, int64_t);
typedef void one_fn(const void *, void *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
typedef void add_fn(const void *, const void *, void *, float, int64_t, int64_t, int64_t, int64_t,
		    int64_t, int64_t, int64_t);
typedef void cat_fn(const void *, const void *, const void *, const void *, void *, int64_t,
		    int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
typedef void two_reference_fn(const double *, const double *, double *, int64_t, int64_t);
typedef void one_reference_fn(const double *, double *, int64_t, int64_t);
typedef void add_reference_fn(const double *, const double *, double *, double, int64_t, int64_t);
typedef void cat_reference_fn(const double *, const double *, const double *, const double *,
			      double *, int64_t, int64_t, int64_t, int64_t, int64_t);

enum { MAX_COUNT = 1 << 13, BLOCK = 100, GAP = 3 };
#define ALPHA 0.5

static double a[MAX_COUNT], b[MAX_COUNT], out[MAX_COUNT], want[MAX_COUNT];
static char *ends[3];

static void *load(const char *source, const char *entry, enum dtype t, enum dtype u, int stream)
{
	struct compilation c = {0};
	compile_define(&c, "UNROLL", 1 + stream);
	compile_define(&c, "STREAM", stream);
	return compile_start_types(&c, source, t, u, DTYPE_I64) ? compile_load(&c, entry) : NULL;
}

/* Uniform in [-4, 4), with NaN and infinities among them. */
static void fill(double *to, int64_t n, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		const uint64_t draw = seed >> 33;
		to[i] = (double)(draw >> 7) * 0x1p-21 - 4;
		if (draw % 29 < 3)
			to[i] = draw % 29 == 0 ? NAN : draw % 29 == 1 ? INFINITY : -INFINITY;
	}
}

/* Poisons the output, gaps and all: the last row has none after it. */
static void *poison(enum dtype t, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		out[i] = 77;
	return fenced_put(ends[2], t, out, count);
}

/* Elements of m rows of n from what is `count` long that are wrong, or written between rows. */
static int64_t wrong(enum dtype t, int64_t m, int64_t n, int64_t count, double rtol)
{
	const double rounding = t == DTYPE_F32 ? 0x1p-24 : t == DTYPE_F16 ? 0x1p-10 : 0x1p-7;
	int64_t bad = 0;
	fenced_take(ends[2], t, out, count);
	for (int64_t i = 0; i < count; i++) {
		const int64_t row = i / (n + GAP), column = i % (n + GAP);
		const double expected = column < n ? want[row * n + column] : 77;
		const double limit = 5 * 0x1p-24 + (rounding + rtol) * fabs(expected);
		bad += row >= m || !(out[i] == expected || (isnan(out[i]) && isnan(expected)) ||
				     (fabs(out[i] - expected) <= limit && isfinite(limit)));
	}
	return bad;
}

struct two {
	const char *name;
	two_fn *kernel;
	add_fn *add; /* in place of `kernel` */
	two_reference_fn *reference;
	add_reference_fn *add_reference;
};

/* `count` elements in rows of n with gaps: as a kernel that has no gaps has them, first. */
static void spread(double *to, const double *from, int64_t m, int64_t n)
{
	for (int64_t i = 0; i < m; i++)
		memcpy(to + i * (n + GAP), from + i * n, (size_t)n * sizeof *to);
}

static void call_two(const struct two *op, const void *left, const void *right, void *to, int64_t m,
		     int64_t n)
{
	const int64_t gapped = n + GAP;
	for (int64_t i = 0; i * BLOCK < m * n; i++)
		if (op->add)
			op->add(left, right, to, ALPHA, m, n, gapped, n, gapped, BLOCK, i);
		else
			op->kernel(left, right, to, m, n, gapped, n, gapped, BLOCK, i);
}

static int64_t check_two(const struct two *op, enum dtype t, int64_t m, int64_t n)
{
	const int64_t count = m * (n + GAP) - GAP;
	static double wide[MAX_COUNT];
	fill(a, m * n, 1);
	fill(b, m * n, 2);
	memset(wide, 0, sizeof wide);
	spread(wide, a, m, n);
	const void *left = fenced_put(ends[0], t, wide, count);
	for (int64_t i = 0; i < m; i++) /* rounded */
		memcpy(a + i * n, wide + i * (n + GAP), (size_t)n * sizeof *a);
	const void *right = fenced_put(ends[1], t, b, m * n);
	for (int64_t i = 0; i < m; i++)
		if (op->add)
			op->add_reference(a, b, want, ALPHA, n, i);
		else
			op->reference(a, b, want, n, i);
	call_two(op, left, right, poison(t, count), m, n);
	int64_t bad = wrong(t, m, n, count, 21 * 0x1p-24);
	/* In place, the gaps hold what is taken for poison. */
	for (int64_t i = 0; i < count; i++)
		wide[i] = i % (n + GAP) < n ? wide[i] : 77;
	void *both = fenced_put(ends[2], t, wide, count);
	call_two(op, both, right, both, m, n);
	return bad + wrong(t, m, n, count, 21 * 0x1p-24);
}

static int64_t check_one(one_fn *kernel, one_reference_fn *reference, enum dtype t, enum dtype u,
			 int64_t m, int64_t n, int64_t columns)
{
	const int64_t count = m * (n + GAP) - GAP;
	fill(a, m * columns, 3);
	const void *from = fenced_put(ends[0], t, a, m * columns);
	void *to = poison(u, count);
	for (int64_t i = 0; i < m; i++)
		reference(a, want, n, i);
	for (int64_t i = 0; i * BLOCK < m * n; i++)
		kernel(from, to, m, n, columns, n + GAP, BLOCK, i);
	return wrong(u, m, n, count, 21 * 0x1p-24);
}

static int64_t check_cat(cat_fn *kernel, cat_reference_fn *reference, enum dtype t, int64_t m,
			 int64_t n0, int64_t n1, int64_t n2)
{
	const int64_t n = n0 + n1 + n2, count = m * (n + GAP) - GAP;
	fill(a, m * (n0 + n2), 4);
	fill(b, m * n1, 5);
	const char *from = fenced_put(ends[0], t, a, m * (n0 + n2));
	const void *other = fenced_put(ends[1], t, b, m * n1);
	const char *third = from + m * n0 * (int64_t)dtype_bytes(t);
	void *to = poison(t, count);
	for (int64_t i = 0; i < m; i++)
		reference(a, b, a + m * n0, NULL, want, n0, n1, n2, 0, i);
	for (int64_t i = 0; i * BLOCK < m * n; i++)
		kernel(from, other, third, NULL, to, m, n0, n1, n2, 0, 0, n + GAP, BLOCK, i);
	return wrong(t, m, n, count, 0);
}

static const struct shape {
	int64_t m, n;
} shapes[] = {{1, 1}, {3, 15}, {2, 16}, {5, 31}, {3, 33}, {2, 64}, {4, 257}, {33, 5}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void check_twos(struct two *ops, int n, enum dtype t, int stream)
{
	for (int i = 0; i < n; i++) {
		char source[60];
		int64_t bad = 0;
		snprintf(source, sizeof source, "workloads/%s/kernel.c", ops[i].name);
		void *found = load(source, ops[i].name, t, t, stream);
		if (ops[i].add_reference)
			*(void **)&ops[i].add = found;
		else
			*(void **)&ops[i].kernel = found;
		for (int s = 0; found && s < N_SHAPES; s++)
			bad += check_two(&ops[i], t, shapes[s].m, shapes[s].n);
		tap_ok(found && bad == 0, "%s of %s is right, in place, too (%" PRId64 ")",
		       ops[i].name, dtype_name(t), bad);
	}
}

static void check_cast(one_reference_fn *reference, enum dtype t, enum dtype u, int stream)
{
	one_fn *kernel = NULL;
	int64_t bad = 0;
	*(void **)&kernel = load("workloads/cast/kernel.c", "cast", t, u, stream);
	for (int s = 0; kernel && s < N_SHAPES; s++)
		bad += check_one(kernel, reference, t, u, shapes[s].m, shapes[s].n, shapes[s].n);
	tap_ok(kernel && bad == 0, "cast of %s to %s is right (%" PRId64 ")", dtype_name(t),
	       dtype_name(u), bad);
}

/* All numbers of t become floats, and floats become numbers of t: those, what lies half-way to the
 * next, and the floats beside. Of dtype.h, which rounds by itself, are the expected numbers. */
static void check_codes(enum dtype t, int stream)
{
	enum { COUNT = 4 << 16 };
	static double numbers[COUNT], rounded[COUNT], got[COUNT];
	char *from = fenced_new(COUNT * sizeof(float)), *to = fenced_new(COUNT * sizeof(float));
	one_fn *widen = NULL, *narrow = NULL;
	int64_t bad = 0, bad_back = 0;
	*(void **)&widen = load("workloads/cast/kernel.c", "cast", t, DTYPE_F32, stream);
	*(void **)&narrow = load("workloads/cast/kernel.c", "cast", DTYPE_F32, t, stream);
	if (!tap_ok(from && to && widen && narrow, "casts of %s and back", dtype_name(t)))
		return;
	uint16_t codes[1 << 16];
	for (int i = 0; i < 1 << 16; i++)
		codes[i] = (uint16_t)i;
	dtype_to_double(t, codes, numbers, 1 << 16);
	const void *source = fenced_put(from, t, numbers, 1 << 16);
	widen(source, fenced_put(to, DTYPE_F32, got, 1 << 16), 1, 1 << 16, 1 << 16, 1 << 16,
	      1 << 16, 0);
	fenced_take(to, DTYPE_F32, got, 1 << 16);
	for (int i = 0; i < 1 << 16; i++)
		bad += got[i] != numbers[i] && !(isnan(got[i]) && isnan(numbers[i]));
	for (int i = (1 << 16) - 1; i >= 0; i--) {
		const double next = numbers[i < 0xffff ? i + 1 : i];
		const float middle = (float)((numbers[i] + (isnan(next) ? 0 : next)) / 2);
		numbers[4 * i] = numbers[i];
		numbers[4 * i + 1] = middle;
		numbers[4 * i + 2] = nextafterf(middle, INFINITY);
		numbers[4 * i + 3] = nextafterf(middle, -INFINITY);
	}
	source = fenced_put(from, DTYPE_F32, numbers, COUNT);
	memcpy(rounded, numbers, sizeof rounded);
	narrow(source, fenced_put(to, t, rounded, COUNT), 1, COUNT, COUNT, COUNT, COUNT, 0);
	fenced_take(to, t, got, COUNT);
	for (int i = 0; i < COUNT; i++)
		bad_back += got[i] != rounded[i] && !(isnan(got[i]) && isnan(rounded[i]));
	tap_ok(bad == 0, "each number of %s becomes a float (%" PRId64 ")", dtype_name(t), bad);
	tap_ok(bad_back == 0, "floats are rounded to %s (%" PRId64 ")", dtype_name(t), bad_back);
}

static void check_others(one_reference_fn *gated, cat_reference_fn *joined, enum dtype t,
			 int stream)
{
	one_fn *silu = NULL;
	cat_fn *cat = NULL;
	int64_t bad = 0, bad_cat = 0;
	*(void **)&silu = load("workloads/silu_and_mul/kernel.c", "silu_and_mul", t, t, stream);
	*(void **)&cat = load("workloads/cat/kernel.c", "cat", t, t, stream);
	for (int s = 0; silu && cat && s < N_SHAPES; s++) {
		const int64_t m = shapes[s].m, n = shapes[s].n;
		bad += check_one(silu, gated, t, t, m, n, 2 * n);
		bad_cat += check_cat(cat, joined, t, m, n, 1, 2) +
			   check_cat(cat, joined, t, m, 1, n, 70);
	}
	tap_ok(silu && bad == 0, "silu_and_mul of %s is right (%" PRId64 ")", dtype_name(t), bad);
	tap_ok(cat && bad_cat == 0, "cat of %s is right (%" PRId64 ")", dtype_name(t), bad_cat);
}

/* silu(1) = 1 / (1 + 1 / e) = 0.73105857863000487925 */
static void check_references(const struct two *ops, one_reference_fn *gated, cat_reference_fn *join)
{
	const double left[4] = {3, 2, 1, 5}, right[2] = {4, 1};
	double result[4];
	ops[0].add_reference(left, right, result, 0.5, 2, 0);
	tap_ok(result[0] == 5 && result[1] == 2.5, "3 + 4 / 2 and 2 + 1 / 2");
	ops[1].reference(left, right, result, 2, 0);
	tap_ok(result[0] == 12 && result[1] == 2, "3 * 4 and 2 * 1");
	ops[2].reference(left, right, result, 2, 0);
	tap_real(result[1], 2 * 0.73105857863000487925, 1e-15, "2 silu(1)");
	gated(left + 2, result, 1, 0);
	tap_real(result[0], 5 * 0.73105857863000487925, 1e-15, "silu(1) 5");
	gated(right, result, 1, 0);
	tap_real(result[0], 4 / 1.0183156388887341803, 1e-15, "silu(4) 1");
	join(left, right, NULL, NULL, result, 1, 1, 0, 0, 1);
	tap_ok(result[2] == 2 && result[3] == 1, "the second row of each, side by side");
}

int main(void)
{
	static const enum dtype types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};
	struct two ops[] = {{.name = "add"}, {.name = "mul"}, {.name = "swiglu"}};
	one_reference_fn *same = NULL, *gated = NULL;
	cat_reference_fn *join = NULL;
	const enum dtype d = DTYPE_F64;
	*(void **)&ops[0].add_reference =
		load("workloads/add/reference.c", "add_reference", d, d, 0);
	*(void **)&ops[1].reference = load("workloads/mul/reference.c", "mul_reference", d, d, 0);
	*(void **)&ops[2].reference =
		load("workloads/swiglu/reference.c", "swiglu_reference", d, d, 0);
	*(void **)&same = load("workloads/cast/reference.c", "cast_reference", d, d, 0);
	*(void **)&gated =
		load("workloads/silu_and_mul/reference.c", "silu_and_mul_reference", d, d, 0);
	*(void **)&join = load("workloads/cat/reference.c", "cat_reference", d, d, 0);
	for (int i = 0; i < 3; i++)
		ends[i] = fenced_new(MAX_COUNT * sizeof(double));
	if (tap_ok(ops[0].add_reference && ops[1].reference && ops[2].reference && same && gated &&
			   join && ends[2],
		   "the references compile and load")) {
		check_references(ops, gated, join);
		for (int i = 0; i < 3; i++) {
			check_twos(ops, 3, types[i], i % 2);
			check_others(gated, join, types[i], i % 2);
			check_cast(same, types[i], types[(i + 1) % 3], i % 2);
			check_cast(same, types[i], types[(i + 2) % 3], 1 - i % 2);
		}
		check_codes(DTYPE_F16, 0);
		check_codes(DTYPE_BF16, 1);
	}
	return tap_done();
}
