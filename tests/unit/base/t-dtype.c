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

/* Results of PyTorch 2.11.0 for x.to(torch.float8_e4m3fn) and x.to(torch.float8_e5m2), and of all
 * codes: codes with a sign, 0x80 and up, are the negative numbers. The x are floats, since PyTorch
 * rounds doubles to float first. */
static void test_f8(void)
{
	static const double e4m3[] = {
		0,      0x1p-9,   0x1p-8,   0x1.8p-8, 0x1p-7,   0x1.4p-7, 0x1.8p-7, 0x1.cp-7,
		0x1p-6, 0x1.2p-6, 0x1.4p-6, 0x1.6p-6, 0x1.8p-6, 0x1.ap-6, 0x1.cp-6, 0x1.ep-6,
		0x1p-5, 0x1.2p-5, 0x1.4p-5, 0x1.6p-5, 0x1.8p-5, 0x1.ap-5, 0x1.cp-5, 0x1.ep-5,
		0x1p-4, 0x1.2p-4, 0x1.4p-4, 0x1.6p-4, 0x1.8p-4, 0x1.ap-4, 0x1.cp-4, 0x1.ep-4,
		0x1p-3, 0x1.2p-3, 0x1.4p-3, 0x1.6p-3, 0x1.8p-3, 0x1.ap-3, 0x1.cp-3, 0x1.ep-3,
		0x1p-2, 0x1.2p-2, 0x1.4p-2, 0x1.6p-2, 0x1.8p-2, 0x1.ap-2, 0x1.cp-2, 0x1.ep-2,
		0x1p-1, 0x1.2p-1, 0x1.4p-1, 0x1.6p-1, 0x1.8p-1, 0x1.ap-1, 0x1.cp-1, 0x1.ep-1,
		0x1p0,  0x1.2p0,  0x1.4p0,  0x1.6p0,  0x1.8p0,  0x1.ap0,  0x1.cp0,  0x1.ep0,
		0x1p1,  0x1.2p1,  0x1.4p1,  0x1.6p1,  0x1.8p1,  0x1.ap1,  0x1.cp1,  0x1.ep1,
		0x1p2,  0x1.2p2,  0x1.4p2,  0x1.6p2,  0x1.8p2,  0x1.ap2,  0x1.cp2,  0x1.ep2,
		0x1p3,  0x1.2p3,  0x1.4p3,  0x1.6p3,  0x1.8p3,  0x1.ap3,  0x1.cp3,  0x1.ep3,
		0x1p4,  0x1.2p4,  0x1.4p4,  0x1.6p4,  0x1.8p4,  0x1.ap4,  0x1.cp4,  0x1.ep4,
		0x1p5,  0x1.2p5,  0x1.4p5,  0x1.6p5,  0x1.8p5,  0x1.ap5,  0x1.cp5,  0x1.ep5,
		0x1p6,  0x1.2p6,  0x1.4p6,  0x1.6p6,  0x1.8p6,  0x1.ap6,  0x1.cp6,  0x1.ep6,
		0x1p7,  0x1.2p7,  0x1.4p7,  0x1.6p7,  0x1.8p7,  0x1.ap7,  0x1.cp7,  0x1.ep7,
		0x1p8,  0x1.2p8,  0x1.4p8,  0x1.6p8,  0x1.8p8,  0x1.ap8,  0x1.cp8,  NAN,
	};
	static const double e5m2[] = {
		0,       0x1p-16,   0x1p-15,   0x1.8p-15, 0x1p-14,  0x1.4p-14, 0x1.8p-14, 0x1.cp-14,
		0x1p-13, 0x1.4p-13, 0x1.8p-13, 0x1.cp-13, 0x1p-12,  0x1.4p-12, 0x1.8p-12, 0x1.cp-12,
		0x1p-11, 0x1.4p-11, 0x1.8p-11, 0x1.cp-11, 0x1p-10,  0x1.4p-10, 0x1.8p-10, 0x1.cp-10,
		0x1p-9,  0x1.4p-9,  0x1.8p-9,  0x1.cp-9,  0x1p-8,   0x1.4p-8,  0x1.8p-8,  0x1.cp-8,
		0x1p-7,  0x1.4p-7,  0x1.8p-7,  0x1.cp-7,  0x1p-6,   0x1.4p-6,  0x1.8p-6,  0x1.cp-6,
		0x1p-5,  0x1.4p-5,  0x1.8p-5,  0x1.cp-5,  0x1p-4,   0x1.4p-4,  0x1.8p-4,  0x1.cp-4,
		0x1p-3,  0x1.4p-3,  0x1.8p-3,  0x1.cp-3,  0x1p-2,   0x1.4p-2,  0x1.8p-2,  0x1.cp-2,
		0x1p-1,  0x1.4p-1,  0x1.8p-1,  0x1.cp-1,  0x1p0,    0x1.4p0,   0x1.8p0,   0x1.cp0,
		0x1p1,   0x1.4p1,   0x1.8p1,   0x1.cp1,   0x1p2,    0x1.4p2,   0x1.8p2,   0x1.cp2,
		0x1p3,   0x1.4p3,   0x1.8p3,   0x1.cp3,   0x1p4,    0x1.4p4,   0x1.8p4,   0x1.cp4,
		0x1p5,   0x1.4p5,   0x1.8p5,   0x1.cp5,   0x1p6,    0x1.4p6,   0x1.8p6,   0x1.cp6,
		0x1p7,   0x1.4p7,   0x1.8p7,   0x1.cp7,   0x1p8,    0x1.4p8,   0x1.8p8,   0x1.cp8,
		0x1p9,   0x1.4p9,   0x1.8p9,   0x1.cp9,   0x1p10,   0x1.4p10,  0x1.8p10,  0x1.cp10,
		0x1p11,  0x1.4p11,  0x1.8p11,  0x1.cp11,  0x1p12,   0x1.4p12,  0x1.8p12,  0x1.cp12,
		0x1p13,  0x1.4p13,  0x1.8p13,  0x1.cp13,  0x1p14,   0x1.4p14,  0x1.8p14,  0x1.cp14,
		0x1p15,  0x1.4p15,  0x1.8p15,  0x1.cp15,  INFINITY, NAN,       NAN,       NAN,
	};
	static const struct {
		double x;
		uint8_t e4m3, e5m2;
	} cases[] = {
		{0x1.f658f8p-4, 0x20, 0x30},
		{-0x1.b46ee2p-10, 0x81, 0x97},
		{-0x1.3f584ap-13, 0x80, 0x89},
		{-0x1.6694f2p14, 0xff, 0xf6},
		{0x1.7cc662p-17, 0x00, 0x01},
		{0x1.92b85p6, 0x6d, 0x56},
		{-0x1.7c2f7ap7, 0xf4, 0xda},
		{0x1.852a6p-17, 0x00, 0x01},
		{0x1.b9db44p12, 0x7f, 0x6f},
		{-0x1.fdd9a8p-2, 0xb0, 0xb8},
		{0x1.9ec354p-14, 0x00, 0x06},
		{-0x1.a92d04p6, 0xed, 0xd7},
		{-0x1.b0f914p3, 0xd6, 0xcb},
		{-0x1.94df94p13, 0xff, 0xf2},
		{-0x1.8a2ad2p-9, 0x82, 0x9a},
		{0x1.b3aa76p-16, 0x00, 0x02},
		{0x1.ba9be8p-9, 0x02, 0x1b},
		{0x1.8eac88p10, 0x7f, 0x66},
		{-0x1.288656p9, 0xff, 0xe1},
		{0x1.b3bfcep-12, 0x00, 0x0f},
		{-0x1.4f0cf2p13, 0xff, 0xf1},
		{0x1.8281a6p4, 0x5c, 0x4e},
		{-0x1.581da6p-14, 0x80, 0x85},
		{0x1.57de02p-18, 0x00, 0x00},
		{-0x1.6c641p-1, 0xb3, 0xba},
		{0x1.d595cp6, 0x6f, 0x57},
		{-0x1.a84e0ap8, 0xfd, 0xdf},
		{-0x1.eebb32p-11, 0x80, 0x94},
		{-0x1.f91b6p-17, 0x80, 0x81},
		{0x1.1dd1d6p-8, 0x02, 0x1c},
		{0x1.d61e18p6, 0x6f, 0x57},
		{-0x1.239806p9, 0xff, 0xe1},
		{0x1.6aff88p10, 0x7f, 0x66},
		{0x1.b78318p-14, 0x00, 0x07},
		{-0x1.a9c852p-16, 0x80, 0x82},
		{0x1.275606p15, 0x7f, 0x79},
		{0x1.b54b1cp14, 0x7f, 0x77},
		{-0x1.045652p-14, 0x80, 0x84},
		{0x1.62e6b8p-10, 0x01, 0x16},
		{0x1.59f84p-11, 0x00, 0x11},
		{0, 0x00, 0x00},
		{-0.0, 0x80, 0x80},
		{0x1.cp8, 0x7e, 0x5f},
		{0x1.dp8, 0x7e, 0x5f},
		{0x1.d1p8, 0x7f, 0x5f},
		{0x1.ep8, 0x7f, 0x60},
		{-0x1.dp8, 0xfe, 0xdf},
		{-0x1.d2p8, 0xff, 0xdf},
		{0x1.cp15, 0x7f, 0x7b},
		{0x1.dffep15, 0x7f, 0x7b},
		{0x1.ep15, 0x7f, 0x7c},
		{-0x1.ep15, 0xff, 0xfc},
		{0x1.dcd65p29, 0x7f, 0x7c},
		{INFINITY, 0x7f, 0x7c},
		{-INFINITY, 0xff, 0xfc},
		{NAN, 0x7f, 0x7f},
		{0x1p-9, 0x01, 0x18},
		{0x1p-10, 0x00, 0x14},
		{0x1.8p-10, 0x01, 0x16},
		{-0x1p-10, 0x80, 0x94},
		{0x1p-16, 0x00, 0x01},
		{0x1p-17, 0x00, 0x00},
		{0x1.8p-17, 0x00, 0x01},
		{0x1p-6, 0x08, 0x24},
		{0x1.ep-7, 0x08, 0x24},
		{0x1p-14, 0x00, 0x04},
		{0x1.cp-15, 0x00, 0x04},
		{0x1.1p0, 0x38, 0x3c},
		{0x1.3p0, 0x3a, 0x3d},
		{0x1.2p0, 0x39, 0x3c},
		{0x1.6p0, 0x3b, 0x3e},
		{-0x1p-20, 0x80, 0x80},
	};
	const double *const all[] = {e4m3, e5m2};

	for (int t = 0; t < 2; t++) {
		const enum dtype type = t ? DTYPE_F8E5M2 : DTYPE_F8E4M3;
		int values = 0, back = 0;

		for (int bits = 0; bits <= UINT8_MAX; bits++) {
			const double want = all[t][bits & 0x7f];
			const uint8_t in = (uint8_t)bits;
			uint8_t out;
			double x;

			dtype_to_double(type, &in, &x, 1);
			values += isnan(want) ? !isnan(x)
					      : x != (bits & 0x80 ? -want : want) ||
							!signbit(x) != !(bits & 0x80);
			dtype_from_double(type, &x, &out, 1);
			back += !isnan(x) && in != out;
		}
		tap_int(values, 0, "%s: values of all codes", dtype_name(type));
		tap_int(back, 0, "%s: every number survives the way to double and back",
			dtype_name(type));
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			uint8_t out;

			dtype_from_double(type, &cases[i].x, &out, 1);
			tap_int(out, t ? cases[i].e5m2 : cases[i].e4m3, "%s of %a",
				dtype_name(type), cases[i].x);
		}
	}
	/* By way of float these would be ties. */
	static const double near[] = {0x1.1000000001p0, 0x1.2000000001p0};
	uint8_t out;

	dtype_from_double(DTYPE_F8E4M3, &near[0], &out, 1);
	tap_int(out, 0x39, "f8e4m3 of a double right above a tie");
	dtype_from_double(DTYPE_F8E5M2, &near[1], &out, 1);
	tap_int(out, 0x3d, "f8e5m2 of a double right above a tie");
}

static void test_largest(void)
{
	const double wide = 2;

	for (int i = 0; i < DTYPE_COUNT; i++) {
		const double x = dtype_largest((enum dtype)i), more = wide * x;
		char bits[sizeof x];
		double back;

		if (!dtype_is_float((enum dtype)i))
			continue;
		dtype_from_double((enum dtype)i, &x, bits, 1);
		dtype_to_double((enum dtype)i, bits, &back, 1);
		tap_ok(back == x, "%s has its largest number", dtype_name((enum dtype)i));
		dtype_from_double((enum dtype)i, &more, bits, 1);
		dtype_to_double((enum dtype)i, bits, &back, 1);
		tap_ok(!isfinite(back), "%s has none above it", dtype_name((enum dtype)i));
	}
}

static void test_aliases(void)
{
	tap_str(dtype_means("float8_e4m3fn"), "f8e4m3", "torch's name of f8e4m3");
	tap_str(dtype_means("fp8e5"), "f8e5m2", "Triton's name of f8e5m2");
	tap_ok(!dtype_means("float8_e4m3fnuz"), "another type of 8 bits has no name here");
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
	test_f8();
	test_largest();
	test_aliases();
	test_half_round_trip(DTYPE_F16);
	test_half_round_trip(DTYPE_BF16);
	test_bf16_is_half_of_float();
	test_integers();
	test_native();
	return tap_done();
}
