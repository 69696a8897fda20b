/* Element types: bits, values and rounding of each, and their names.
 * covers: dtype.c names.c */
#include "tuner/base/dtype.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tests/tap.h"

static void test_names(void)
{
	enum dtype t = DTYPE_F64;

	for (int i = 0; i < DTYPE_COUNT; i++) {
		const char *name = dtype_names()[i];
		tap_ok(dtype_parse(name, &t) && t == (enum dtype)i, "%s is found", name);
		tap_str(dtype_name((enum dtype)i), name, "%s keeps its name", name);
	}
	tap_ok(dtype_names()[DTYPE_COUNT] == NULL, "the list of names ends");
	tap_ok(!dtype_parse("F32", &t) && !dtype_parse("", &t), "other names are refused");
	tap_int(dtype_bytes(DTYPE_BF16), 2, "bf16 takes two bytes");
	tap_str(dtype_ctype(DTYPE_I64), "int64_t", "C type of i64");
	tap_ok(dtype_is_float(DTYPE_F16) && !dtype_is_float(DTYPE_U8), "which are floating");
}

/* Bit patterns by IEEE 754-2008, 3.4 and 4.3.1; bf16 has the exponent of binary32. */
static void test_half(void)
{
	static const struct {
		double x;
		uint16_t f16, bf16;
	} cases[] = {
		{0.0, 0x0000, 0x0000},
		{-0.0, 0x8000, 0x8000},
		{1.0, 0x3c00, 0x3f80},
		{-2.0, 0xc000, 0xc000},
		{0x1.004p0, 0x3c01, 0x3f80},        /* one f16 step over 1 */
		{0x1.002p0, 0x3c00, 0x3f80},        /* tie: to even */
		{0x1.006p0, 0x3c02, 0x3f80},        /* tie: to even, upwards */
		{0x1.0020000001p0, 0x3c01, 0x3f80}, /* by way of float this would be a tie */
		{0x1.01p0, 0x3c04, 0x3f80},         /* tie in bf16 */
		{0x1.03p0, 0x3c0c, 0x3f82},
		{65504, 0x7bff, 0x4780},
		{65519.99, 0x7bff, 0x4780},
		{65520, 0x7c00, 0x4780},
		{0x1p-14, 0x0400, 0x3880},
		{0x1p-24, 0x0001, 0x3380},
		{0x1p-25, 0x0000, 0x3300}, /* half the smallest: to even */
		{0x1.8p-25, 0x0001, 0x3340},
		{0x1.ffcp-15, 0x0400, 0x3880}, /* rounds up into the normal numbers */
		{0x1p-133, 0x0000, 0x0001},
		{0x1.ffp127, 0x7c00, 0x7f80},
		{INFINITY, 0x7c00, 0x7f80},
		{-INFINITY, 0xfc00, 0xff80},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint16_t f16, bf16;
		dtype_from_double(DTYPE_F16, &cases[i].x, &f16, 1);
		dtype_from_double(DTYPE_BF16, &cases[i].x, &bf16, 1);
		tap_int(f16, cases[i].f16, "f16 of %a", cases[i].x);
		tap_int(bf16, cases[i].bf16, "bf16 of %a", cases[i].x);
	}
}

static void test_half_round_trip(enum dtype t)
{
	int differ = 0;

	for (int bits = 0; bits <= UINT16_MAX; bits++) {
		const uint16_t in = (uint16_t)bits;
		uint16_t out;
		double x;
		dtype_to_double(t, &in, &x, 1);
		dtype_from_double(t, &x, &out, 1);
		differ += isnan(x) ? 0 : in != out;
	}
	tap_int(differ, 0, "every %s survives the way to double and back", dtype_name(t));
	const double nan_in = NAN;
	uint16_t stored;
	double nan_out;
	dtype_from_double(t, &nan_in, &stored, 1);
	dtype_to_double(t, &stored, &nan_out, 1);
	tap_ok(isnan(nan_out), "%s keeps NaN", dtype_name(t));
}

static void test_bf16_is_half_of_float(void)
{
	int differ = 0;

	for (int bits = 0; bits <= UINT16_MAX; bits++) {
		const uint16_t in = (uint16_t)bits;
		const uint32_t wide = (uint32_t)bits << 16;
		float f;
		double x;
		memcpy(&f, &wide, sizeof f);
		dtype_to_double(DTYPE_BF16, &in, &x, 1);
		differ += isnan(f) ? !isnan(x) : x != (double)f;
	}
	tap_int(differ, 0, "a bf16 is the upper half of a float");
}

static void test_integers(void)
{
	static const double in[] = {-1e30, -1.5, 0.4, 0.6, 2.5, 200, 1e30, NAN};
	enum { N = sizeof in / sizeof *in };
	static const int8_t want_i8[N] = {-128, -2, 0, 1, 2, 127, 127, 0};
	static const uint8_t want_u8[N] = {0, 0, 0, 1, 2, 200, 255, 0};
	static const uint8_t want_bool[N] = {0, 0, 0, 1, 1, 1, 1, 0};
	int8_t i8[N];
	uint8_t u8[N], truth[N];
	int64_t i64[N];
	uint64_t u64[N];
	double back[N];

	dtype_from_double(DTYPE_I8, in, i8, N);
	dtype_from_double(DTYPE_U8, in, u8, N);
	dtype_from_double(DTYPE_BOOL, in, truth, N);
	dtype_from_double(DTYPE_I64, in, i64, N);
	dtype_from_double(DTYPE_U64, in, u64, N);
	tap_ok(memcmp(i8, want_i8, sizeof i8) == 0, "i8 rounds and clamps");
	tap_ok(memcmp(u8, want_u8, sizeof u8) == 0, "u8 rounds and clamps");
	tap_ok(memcmp(truth, want_bool, sizeof truth) == 0, "bool is 0 or 1");
	tap_ok(i64[0] == INT64_MIN && i64[6] == INT64_MAX && i64[7] == 0, "i64 clamps");
	tap_ok(u64[0] == 0 && u64[6] == UINT64_MAX, "u64 clamps");
	dtype_to_double(DTYPE_I8, i8, back, N);
	tap_real(back[0], -128, 0, "i8 to double");
}

static void test_native(void)
{
	static const double in[] = {0.1, -3, 1e300};
	float f32[3];
	double f64[3], back[3];

	dtype_from_double(DTYPE_F32, in, f32, 3);
	dtype_to_double(DTYPE_F32, f32, back, 3);
	tap_ok(back[0] == (double)0.1f && back[1] == -3 && isinf(back[2]), "f32 rounds");
	dtype_from_double(DTYPE_F64, in, f64, 3);
	tap_ok(f64[0] == in[0] && f64[1] == in[1] && f64[2] == in[2], "f64 is a copy");
	dtype_from_double(DTYPE_F64, NULL, NULL, 0);
	tap_ok(true, "no elements, no access");
}

int main(void)
{
	test_names();
	test_half();
	test_half_round_trip(DTYPE_F16);
	test_half_round_trip(DTYPE_BF16);
	test_bf16_is_half_of_float();
	test_integers();
	test_native();
	return tap_done();
}
