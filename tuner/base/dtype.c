#include "tuner/base/dtype.h"

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
	{"float64", "f64"}, {"double", "f64"}, {"fp64", "f64"},      {"float32", "f32"},
	{"float", "f32"},   {"fp32", "f32"},   {"float16", "f16"},   {"half", "f16"},
	{"fp16", "f16"},    {"int64", "i64"},  {"bfloat16", "bf16"}, {"int32", "i32"},
	{"int16", "i16"},   {"int8", "i8"},    {"uint64", "u64"},    {"uint32", "u32"},
	{"uint16", "u16"},  {"uint8", "u8"},   {NULL, NULL}};

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

/* ---- 16-bit floating types: a sign, `exponent` bits, `mantissa` bits ---- */

struct half_format {
	int exponent, mantissa;
};

static const struct half_format half_f16 = {5, 10}, half_bf16 = {8, 7};

static int half_bias(struct half_format f)
{
	return (1 << (f.exponent - 1)) - 1;
}

static uint16_t half_infinity(struct half_format f)
{
	return (uint16_t)(((1 << f.exponent) - 1) << f.mantissa);
}

/* Rounds |x| to nearest even, straight from double: going through float would round twice. `least`:
 * the smallest normal value. */
static uint16_t half_magnitude(struct half_format f, double least, double x)
{
	const int bias = half_bias(f), shift = 52 - f.mantissa;

	if (isnan(x))
		return (uint16_t)(half_infinity(f) | (1 << (f.mantissa - 1)));
	if (x < least) /* zero and subnormals: counted in units of the smallest one */
		return (uint16_t)rint(ldexp(x, bias - 1 + f.mantissa));
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	bits += ((UINT64_C(1) << (shift - 1)) - 1) + ((bits >> shift) & 1);
	bits = (bits >> shift) - ((uint64_t)(1023 - bias) << f.mantissa);
	return bits < half_infinity(f) ? (uint16_t)bits : half_infinity(f);
}

static void half_from_double(struct half_format f, const double *in, uint16_t *out, size_t n)
{
	const double least = ldexp(1, 1 - half_bias(f));

	for (size_t i = 0; i < n; i++)
		out[i] = (uint16_t)(half_magnitude(f, least, fabs(in[i])) |
				    (signbit(in[i]) ? 0x8000 : 0));
}

static void half_to_double(struct half_format f, const uint16_t *in, double *out, size_t n)
{
	/* The bits moved into a double are the value times 2^(bias - 1023), of subnormals too. The
	 * sign is put in as a bit: a branch on it is mispredicted for every other number. */
	const double scale = ldexp(1, 1023 - half_bias(f));
	const uint16_t infinity = half_infinity(f);

	for (size_t i = 0; i < n; i++) {
		const uint16_t magnitude = in[i] & 0x7fff;
		uint64_t bits = (uint64_t)magnitude << (52 - f.mantissa);
		double x;
		memcpy(&x, &bits, sizeof x);
		x *= scale;
		if (magnitude >= infinity)
			x = magnitude == infinity ? INFINITY : NAN;
		memcpy(&bits, &x, sizeof bits);
		bits |= (uint64_t)(in[i] & 0x8000) << 48;
		memcpy(&out[i], &bits, sizeof bits);
	}
}

static void f16_from_double(const double *in, void *out, size_t n)
{
	half_from_double(half_f16, in, out, n);
}

static void f16_to_double(const void *in, double *out, size_t n)
{
	half_to_double(half_f16, in, out, n);
}

static void bf16_from_double(const double *in, void *out, size_t n)
{
	half_from_double(half_bf16, in, out, n);
}

static void bf16_to_double(const void *in, double *out, size_t n)
{
	half_to_double(half_bf16, in, out, n);
}

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
