/* workloads/cpu/element.h against tuner/base/dtype.c, which t-dtype.c holds against IEEE 754 and
 * PyTorch: all patterns of the 16-bit and 8-bit types on the way in, all upper halves of a float
 * with the lower halves around every tie on the way out.
 * covers: workloads/cpu/element.h */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tests/compile.h"
#include "tests/tap.h"

typedef void load_fn(const void *, float *, int64_t);
typedef void store_fn(const float *, void *, int64_t);

enum { N = 65536 };

static uint16_t bits[N], stored[N], expected[N]; /* of types of 8 bits the first half */
static float floats[N];
static double doubles[N];

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

static void check_load(load_fn *load, enum dtype t)
{
	int wrong = 0;
	for (int i = 0; i < N; i++) {
		if (dtype_bytes(t) == 1)
			((uint8_t *)bits)[i] = (uint8_t)i;
		else
			bits[i] = (uint16_t)i;
	}
	load(bits, floats, N);
	dtype_to_double(t, bits, doubles, N);
	for (int i = 0; i < N; i++)
		wrong += !same((double)floats[i], doubles[i]);
	tap_int(wrong, 0, "%s: every pattern is read", dtype_name(t));
}

/* Which NaN it becomes is nobody's business. */
static int count_wrong(enum dtype t)
{
	static double got[N], want[N];
	int wrong = 0;

	dtype_to_double(t, stored, got, N);
	dtype_to_double(t, expected, want, N);
	for (int i = 0; i < N; i++)
		wrong += !same(got[i], want[i]);
	return wrong;
}

static void check_store(store_fn *store, enum dtype t)
{
	/* Types of 8 bits have their ties in the upper half. */
	static const uint32_t lower[] = {0,      1,      0xfff,  0x1000, 0x1001,
					 0x3000, 0x7fff, 0x8000, 0x8001};
	int wrong = 0;
	for (size_t k = 0; k < sizeof lower / sizeof *lower; k++) {
		for (uint32_t i = 0; i < N; i++) {
			const uint32_t pattern = i << 16 | lower[k];
			memcpy(&floats[i], &pattern, sizeof pattern);
			doubles[i] = (double)floats[i];
		}
		store(floats, stored, N);
		dtype_from_double(t, doubles, expected, N);
		wrong += count_wrong(t);
	}
	tap_int(wrong, 0, "%s: floats are rounded to nearest, ties to even", dtype_name(t));
}

static void check(enum dtype t)
{
	struct compilation in = {0}, out = {0};
	load_fn *load = NULL;
	store_fn *store = NULL;
	bool started = compile_start(&in, "tests/data/element/convert.c", t);
	started &= compile_start(&out, "tests/data/element/convert.c", t);
	if (!tap_ok(started, "%s: the compiler starts", dtype_name(t)))
		return;
	*(void **)&load = compile_load(&in, "load");
	*(void **)&store = compile_load(&out, "store");
	if (!tap_ok(load && store, "%s: element.h compiles", dtype_name(t)))
		return;
	check_load(load, t);
	check_store(store, t);
}

int main(void)
{
	check(DTYPE_F16);
	check(DTYPE_BF16);
	check(DTYPE_F8E4M3);
	check(DTYPE_F8E5M2);
	return tap_done();
}
