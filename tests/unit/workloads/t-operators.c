/* Kernels and references of operators by numbers that are worked out here, and what PyTorch has for
 * rows of -infinity, with NaN and with infinity: references that share a mistake with all kernels
 * would let these pass.
 * covers: workloads/add_rms_norm workloads/causal_softmax workloads/rotary_embedding
 * workloads/apply_rotary_pos_emb workloads/reshape_and_cache workloads/cpu/reduce.h
 * workloads/cpu/row_softmax.h workloads/cpu/rotate.h */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/compile.h"
#include "tests/tap.h"

typedef void add_fn(const float *, const float *, const float *, float *, float *, int64_t, int64_t,
		    int64_t, int64_t, int64_t, float, int64_t, int64_t);
typedef void add_reference_fn(const double *, const double *, const double *, double *, double *,
			      int64_t, double, int64_t);
typedef void causal_fn(const float *, float *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
		       int64_t, int64_t);
typedef void causal_reference_fn(const double *, double *, int64_t, int64_t, int64_t);
typedef void rotary_fn(const int64_t *, const float *, const float *, const float *, float *,
		       float *, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, bool,
		       int64_t, int64_t);
typedef void rotary_reference_fn(const double *, const double *, const double *, const double *,
				 double *, double *, int64_t, int64_t, int64_t, int64_t, bool,
				 int64_t);
typedef void apply_fn(const float *, const float *, const float *, const float *, float *, float *,
		      int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
typedef void apply_reference_fn(const double *, const double *, const double *, const double *,
				double *, double *, int64_t, int64_t, int64_t, int64_t);
typedef void cache_fn(const float *, const float *, const int32_t *, float *, int64_t, int64_t,
		      int64_t, int64_t, int64_t, int64_t);
typedef void cache_reference_fn(const double *, const double *, const double *, double *, int64_t,
				int64_t, int64_t);

static add_fn *add;
static add_reference_fn *add_reference;
static causal_fn *causal;
static causal_reference_fn *causal_reference;
static rotary_fn *rotary;
static rotary_reference_fn *rotary_reference;
static apply_fn *apply;
static apply_reference_fn *apply_reference;
static cache_fn *cache;
static cache_reference_fn *cache_reference;

static const struct operator
{
	const char *name;
	void *kernel, *reference; /* addresses of the pointers above */
}
operators[] = {{"add_rms_norm", &add, &add_reference},
	       {"causal_softmax", &causal, &causal_reference},
	       {"rotary_embedding", &rotary, &rotary_reference},
	       {"apply_rotary_pos_emb", &apply, &apply_reference},
	       {"reshape_and_cache", &cache, &cache_reference}};
enum { OPERATORS = sizeof operators / sizeof *operators };

static bool load_all(void)
{
	struct compilation kernels[OPERATORS] = {0}, references[OPERATORS] = {0};
	char text[100];
	bool ok = true;

	for (int i = 0; i < OPERATORS && ok; i++) {
		compile_define(&kernels[i], "STREAM", 1);
		snprintf(text, sizeof text, "workloads/%s/kernel.c", operators[i].name);
		ok = compile_start_types(&kernels[i], text, DTYPE_F32, DTYPE_F32, DTYPE_I32);
		snprintf(text, sizeof text, "workloads/%s/reference.c", operators[i].name);
		ok = ok && compile_start(&references[i], text, DTYPE_F64);
	}
	for (int i = 0; i < OPERATORS && ok; i++) {
		snprintf(text, sizeof text, "%s_reference", operators[i].name);
		void *kernel = compile_load(&kernels[i], operators[i].name);
		void *reference = compile_load(&references[i], text);

		ok = kernel && reference;
		memcpy(operators[i].kernel, &kernel, sizeof kernel);
		memcpy(operators[i].reference, &reference, sizeof reference);
	}
	return tap_ok(ok, "kernels and references compile and load");
}

/* `have` of a kernel and `exact` of its reference are `want`, NaN where that is NaN. */
static void check(const char *name, const float *have, const double *exact, const double *want,
		  int n)
{
	int wrong = 0;

	for (int i = 0; i < n; i++)
		wrong += isnan(want[i]) ? !isnan(have[i]) || !isnan(exact[i])
					: !(fabs((double)have[i] - want[i]) <= 1e-6) ||
						  !(fabs(exact[i] - want[i]) <= 1e-15);
	tap_int(wrong, 0, "%s", name);
}

static void widen(const float *x, double *out, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = (double)x[i];
}

/* Sums 3 and 4, whose mean square is 12.5, in place: y_out is x1, x_out is x2. */
static void test_add(void)
{
	float x1[] = {1, 2}, x2[] = {2, 2};
	const float gamma[] = {1, 2};
	const double want[] = {0.84852813742385702928, 2 * 1.1313708498984760390, 3, 4};
	double a[2], b[2], g[2], exact[4];
	float have[4];

	widen(x1, a, 2);
	widen(x2, b, 2);
	widen(gamma, g, 2);
	add_reference(a, b, g, exact, exact + 2, 2, 0, 0);
	add(x1, x2, gamma, x1, x2, 1, 1, 2, 2, 2, 0, 1, 0);
	memcpy(have, x1, sizeof x1);
	memcpy(have + 2, x2, sizeof x2);
	check("add_rms_norm: 3 and 4 by the root of 12.5", have, exact, want, 4);
}

/* Two rows of three keys: the first sees two of them. */
static void test_causal(void)
{
	const float log2 = 0.69314718F, log3 = 1.0986123F, none = -INFINITY;
	const struct {
		const char *name;
		float x[6];
		double want[6];
	} all[] = {{"1/4 and 3/4, then 1/2 and two quarters",
		    {0, log3, 5, log2, 0, 0},
		    {0.25, 0.75, 0, 0.5, 0.25, 0.25}},
		   {"one key of two is -infinity", {none, 7, 5, none, 1, none}, {0, 1, 0, 0, 1, 0}},
		   {"a row of -infinity is NaN, what it does not see, too",
		    {none, none, 5, none, none, none},
		    {NAN, NAN, NAN, NAN, NAN, NAN}},
		   {"NaN and infinity pass to their row",
		    {NAN, 1, 5, INFINITY, 0, 0},
		    {NAN, NAN, NAN, NAN, NAN, NAN}},
		   {"what a row does not see has no part in it",
		    {0, 0, NAN, 0, 0, none},
		    {0.5, 0.5, 0, 0.5, 0.5, 0}}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		double x[6], exact[6];
		float have[6];
		char name[100];

		memcpy(have, all[i].x, sizeof have);
		widen(have, x, 6);
		/* log2 and log3 of the kernel are floats. */
		if (i == 0) {
			x[1] = 1.0986122886681098;
			x[3] = 0.69314718055994531;
		}
		for (int row = 0; row < 2; row++) {
			causal_reference(x, exact, 2, 3, row);
			causal(have, have, 2, 2, 3, 6, 3, 3, 1, row);
		}
		snprintf(name, sizeof name, "causal_softmax: %s", all[i].name);
		check(name, have, exact, all[i].want, 6);
	}
}

/* The second of two positions: a quarter of a turn of the first pair, none of the second. */
static void test_rotary(void)
{
	static const struct {
		const char *name;
		int64_t r;
		bool neox;
		double want[8];
	} all[] = {{"halves", 4, true, {-3, 2, 1, 4, -7, 6, 5, 8}},
		   {"neighbours", 4, false, {-2, 1, 3, 4, -6, 5, 7, 8}},
		   {"a part", 2, true, {-2, 1, 3, 4, -6, 5, 7, 8}}};
	const float heads[] = {1, 2, 3, 4, 5, 6, 7, 8}, table[] = {9, 9, 9, 9, 0, 1, 1, 0},
		    part[] = {9, 9, 0, 1};
	const int64_t position = 1;
	const double second = 1;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const float *given = all[i].r == 4 ? table : part;
		double x[8], t[8], exact[8];
		float have[8];
		char name[100];

		widen(heads, x, 8);
		widen(given, t, 2 * (int)all[i].r);
		memcpy(have, heads, sizeof have);
		rotary_reference(&second, x, x + 4, t, exact, exact + 4, 1, 1, 4, all[i].r,
				 all[i].neox, 0);
		rotary(&position, have, have + 4, given, have, have + 4, 1, 1, 1, 4, all[i].r, 0, 0,
		       all[i].neox, 1, 0);
		snprintf(name, sizeof name, "rotary_embedding: %s", all[i].name);
		check(name, have, exact, all[i].want, 8);
	}
}

/* The second half of a head has its own cosines and sines. */
static void test_apply(void)
{
	const float heads[] = {1, 2, 3, 4, 5, 6, 7, 8}, c[] = {0, 1, 0, 2}, s[] = {1, 0, 1, 3};
	const double want[] = {-3, 2, 1, 14, -7, 6, 5, 34};
	double x[8], cosines[4], sines[4], exact[8];
	float have[8];

	widen(heads, x, 8);
	widen(c, cosines, 4);
	widen(s, sines, 4);
	apply_reference(x, x + 4, cosines, sines, exact, exact + 4, 1, 1, 4, 0);
	apply(heads, heads + 4, c, s, have, have + 4, 1, 1, 1, 4, 0, 0, 1, 0);
	check("apply_rotary_pos_emb: a quarter of a turn, and a stretch", have, exact, want, 8);
}

/* Three tokens, the second is padding; what no slot names stays. */
static void test_cache(void)
{
	const float key[] = {1, 2, 3}, value[] = {4, 5, 6};
	const int32_t slots[] = {2, -1, 0};
	const double key64[] = {1, 2, 3}, value64[] = {4, 5, 6}, slots64[] = {2, -1, 0},
		     want[] = {3, 9, 1, 6, 9, 4};
	double exact[] = {9, 9, 9, 9, 9, 9};
	float have[] = {9, 9, 9, 9, 9, 9};

	cache_reference(key64, value64, slots64, exact, 3, 1, 3);
	cache(key, value, slots, have, 3, 1, 1, 3, 3, 0);
	check("reshape_and_cache: padding writes nothing", have, exact, want, 6);
}

int main(void)
{
	if (load_all()) {
		test_add();
		test_causal();
		test_rotary();
		test_apply();
		test_cache();
	}
	return tap_done();
}
