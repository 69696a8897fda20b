#include "tuner/base/dtype.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tuner/base/names.h"

static const struct {
	const char *name;
	size_t bytes;
	const char *ctype;
	bool floating;
} dtype_table[] = {
#define X(id, name, bytes, ctype, floating) {name, bytes, ctype, floating},
	DTYPE_LIST(X)
#undef X
};

static const char *const dtype_name_list[] = {
#define X(id, name, bytes, ctype, floating) name,
	DTYPE_LIST(X)
#undef X
		NULL};

bool dtype_parse(const char *name, enum dtype *out)
{
	size_t value;

	if (!name_find(dtype_name_list, DTYPE_COUNT, name, &value))
		return false;
	*out = (enum dtype)value;
	return true;
}

const struct dtype_alias dtype_aliases[] = {
	{"float64", "f64"},
	{"double", "f64"},
	{"fp64", "f64"},
	{"float32", "f32"},
	{"float", "f32"},
	{"fp32", "f32"},
	{"float16", "f16"},
	{"half", "f16"},
	{"fp16", "f16"},
	{"int64", "i64"},
	{"bfloat16", "bf16"},
	{"int32", "i32"},
	{"int16", "i16"},
	{"int8", "i8"},
	{"uint64", "u64"},
	{"uint32", "u32"},
	{"uint16", "u16"},
	{"uint8", "u8"},
	/* torch's names, and those of signatures and of the language of Triton */
	{"float8_e4m3fn", "f8e4m3"},
	{"fp8e4nv", "f8e4m3"},
	{"float8e4nv", "f8e4m3"},
	{"float8_e5m2", "f8e5m2"},
	{"fp8e5", "f8e5m2"},
	{"float8e5", "f8e5m2"},
	{NULL, NULL}};

const char *dtype_means(const char *other)
{
	for (const struct dtype_alias *a = dtype_aliases; a->other; a++)
		if (strcmp(a->other, other) == 0)
			return a->name;
	return NULL;
}

const char *const *dtype_names(void)
{
	return dtype_name_list;
}

const char *dtype_name(enum dtype t)
{
	return dtype_table[t].name;
}

const char *dtype_ctype(enum dtype t)
{
	return dtype_table[t].ctype;
}

size_t dtype_bytes(enum dtype t)
{
	return dtype_table[t].bytes;
}

bool dtype_is_float(enum dtype t)
{
	return dtype_table[t].floating;
}

double dtype_largest(enum dtype t)
{
	static const double largest[DTYPE_COUNT] = {
		[DTYPE_F64] = DBL_MAX,     [DTYPE_F32] = FLT_MAX, [DTYPE_F16] = 65504,
		[DTYPE_BF16] = 0x1.fep127, [DTYPE_F8E4M3] = 448,  [DTYPE_F8E5M2] = 57344};

	return largest[t];
}

/* ---- short floating types: a sign, `exponent` bits, `mantissa` bits ---- */

struct short_format {
	int exponent, mantissa;
	/* Bits of the sign, of the largest number, of what is greater (an infinity, or the NaN of a
	 * type without any), and of the NaN that is written. */
	uint16_t sign, largest, over, nan;
};

static const struct short_format format_f16 = {5, 10, 0x8000, 0x7bff, 0x7c00, 0x7e00};
static const struct short_format format_bf16 = {8, 7, 0x8000, 0x7f7f, 0x7f80, 0x7fc0};
static const struct short_format format_f8e4m3 = {4, 3, 0x80, 0x7e, 0x7f, 0x7f};
static const struct short_format format_f8e5m2 = {5, 2, 0x80, 0x7b, 0x7c, 0x7f};

static int short_bias(struct short_format f)
{
	return (1 << (f.exponent - 1)) - 1;
}

/* Rounds to nearest even, straight from double: going through float would round twice. `least`: the
 * smallest normal value. */
static inline uint16_t short_round(struct short_format f, double least, double x)
{
	const int bias = short_bias(f), shift = 52 - f.mantissa;
	const uint16_t sign = signbit(x) ? f.sign : 0;

	x = fabs(x);
	if (isnan(x))
		return (uint16_t)(sign | f.nan);
	if (x < least) /* zero and subnormals: counted in units of the smallest one */
		return (uint16_t)(sign | (uint16_t)rint(ldexp(x, bias - 1 + f.mantissa)));
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	bits += ((UINT64_C(1) << (shift - 1)) - 1) + ((bits >> shift) & 1);
	bits = (bits >> shift) - ((uint64_t)(1023 - bias) << f.mantissa);
	return (uint16_t)(sign | (bits <= f.largest ? (uint16_t)bits : f.over));
}

/* `scale`: 2^(1023 - bias). */
static inline double short_widen(struct short_format f, double scale, uint16_t x)
{
	/* The bits moved into a double are the value times 2^(bias - 1023), of subnormals too. The
	 * sign is put in as a bit: a branch on it is mispredicted for every other number. */
	const uint16_t magnitude = x & (f.sign - 1);
	uint64_t bits = (uint64_t)magnitude << (52 - f.mantissa);
	double out;

	memcpy(&out, &bits, sizeof out);
	out *= scale;
	if (magnitude > f.largest)
		out = magnitude == f.over && f.over != f.nan ? INFINITY : NAN;
	memcpy(&bits, &out, sizeof bits);
	bits |= (uint64_t)(x & f.sign) << (63 - f.exponent - f.mantissa);
	memcpy(&out, &bits, sizeof out);
	return out;
}

#define CONVERT_SHORT(name, type)                                                                  \
	static void name##_from_double(const double *in, void *out, size_t n)                      \
	{                                                                                          \
		const double least = ldexp(1, 1 - short_bias(format_##name));                      \
		type *to = out;                                                                    \
		for (size_t i = 0; i < n; i++)                                                     \
			to[i] = (type)short_round(format_##name, least, in[i]);                    \
	}                                                                                          \
	static void name##_to_double(const void *in, double *out, size_t n)                        \
	{                                                                                          \
		const double scale = ldexp(1, 1023 - short_bias(format_##name));                   \
		const type *from = in;                                                             \
		for (size_t i = 0; i < n; i++)                                                     \
			out[i] = short_widen(format_##name, scale, from[i]);                       \
	}

CONVERT_SHORT(f16, uint16_t)
CONVERT_SHORT(bf16, uint16_t)
CONVERT_SHORT(f8e4m3, uint8_t)
CONVERT_SHORT(f8e5m2, uint8_t)

/* ---- types that C has ---- */

static double clamp(double x, double low, double high)
{
	if (isnan(x))
		return 0;
	return x < low ? low : x > high ? high : x;
}

/* Converts with a clamp to `high`, which may not be a double (INT64_MAX is not): from there on the
 * bound itself is stored. */
#define CONVERT_INTEGER(name, type, low, high)                                                     \
	static void name##_from_double(const double *in, void *out, size_t n)                      \
	{                                                                                          \
		type *to = out;                                                                    \
		for (size_t i = 0; i < n; i++) {                                                   \
			const double x = rint(clamp(in[i], (double)(low), (double)(high)));        \
			to[i] = x >= (double)(high) ? (type)(high) : (type)x;                      \
		}                                                                                  \
	}                                                                                          \
	static void name##_to_double(const void *in, double *out, size_t n)                        \
	{                                                                                          \
		const type *from = in;                                                             \
		for (size_t i = 0; i < n; i++)                                                     \
			out[i] = (double)from[i];                                                  \
	}

CONVERT_INTEGER(i64, int64_t, INT64_MIN, INT64_MAX)
CONVERT_INTEGER(i32, int32_t, INT32_MIN, INT32_MAX)
CONVERT_INTEGER(i16, int16_t, INT16_MIN, INT16_MAX)
CONVERT_INTEGER(i8, int8_t, INT8_MIN, INT8_MAX)
CONVERT_INTEGER(u64, uint64_t, 0, UINT64_MAX)
CONVERT_INTEGER(u32, uint32_t, 0, UINT32_MAX)
CONVERT_INTEGER(u16, uint16_t, 0, UINT16_MAX)
CONVERT_INTEGER(u8, uint8_t, 0, UINT8_MAX)
CONVERT_INTEGER(bool, uint8_t, 0, 1)

static void f64_from_double(const double *in, void *out, size_t n)
{
	memcpy(out, in, n * sizeof *in);
}

static void f64_to_double(const void *in, double *out, size_t n)
{
	memcpy(out, in, n * sizeof *out);
}

static void f32_from_double(const double *in, void *out, size_t n)
{
	float *to = out;
	for (size_t i = 0; i < n; i++)
		to[i] = (float)in[i];
}

static void f32_to_double(const void *in, double *out, size_t n)
{
	const float *from = in;
	for (size_t i = 0; i < n; i++)
		out[i] = (double)from[i];
}

static const struct {
	void (*from)(const double *in, void *out, size_t n);
	void (*to)(const void *in, double *out, size_t n);
} converters[DTYPE_COUNT] = {
	[DTYPE_F64] = {f64_from_double, f64_to_double},
	[DTYPE_F32] = {f32_from_double, f32_to_double},
	[DTYPE_F16] = {f16_from_double, f16_to_double},
	[DTYPE_BF16] = {bf16_from_double, bf16_to_double},
	[DTYPE_F8E4M3] = {f8e4m3_from_double, f8e4m3_to_double},
	[DTYPE_F8E5M2] = {f8e5m2_from_double, f8e5m2_to_double},
	[DTYPE_I64] = {i64_from_double, i64_to_double},
	[DTYPE_I32] = {i32_from_double, i32_to_double},
	[DTYPE_I16] = {i16_from_double, i16_to_double},
	[DTYPE_I8] = {i8_from_double, i8_to_double},
	[DTYPE_U64] = {u64_from_double, u64_to_double},
	[DTYPE_U32] = {u32_from_double, u32_to_double},
	[DTYPE_U16] = {u16_from_double, u16_to_double},
	[DTYPE_U8] = {u8_from_double, u8_to_double},
	[DTYPE_BOOL] = {bool_from_double, bool_to_double},
};

void dtype_from_double(enum dtype t, const double *in, void *out, size_t n)
{
	if (n > 0)
		converters[t].from(in, out, n);
}

void dtype_to_double(enum dtype t, const void *in, double *out, size_t n)
{
	if (n > 0)
		converters[t].to(in, out, n);
}
