/* Elements of the tensors of a CPU kernel: float, or 16 or 8 bits that become floats when they are
 * read and are rounded when they are written, as PyTorch rounds. Kernels calculate in float.
 *
 * ELEMENTS(name, V) makes the type `name` of the problem's dtype variable V (macros DTYPE_V and
 * CTYPE_V of the builder), name_load() and name_store(); `element` is that of T. Conversions are by
 * bits and without branches on the way in, so that loops over them become vector code on every
 * machine; C17 compilers have no type for bf16 and for 8 bits, and not all one for f16. */
#ifndef ASCTUNE_CPU_ELEMENT_H
#define ASCTUNE_CPU_ELEMENT_H

#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline, unused))

INLINE uint32_t float_bits(float x)
{
	uint32_t bits = 0;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

INLINE float bits_float(uint32_t bits)
{
	float x = 0;
	memcpy(&x, &bits, sizeof x);
	return x;
}

INLINE float bf16_load(uint16_t code)
{
	return bits_float((uint32_t)code << 16);
}

/* Rounds to the nearest bf16, ties to even; NaN keeps its upper bits and stays one. */
INLINE uint16_t bf16_store(float x)
{
	const uint32_t bits = float_bits(x), half = 0x7fff + ((bits >> 16) & 1);
	return (uint16_t)((x == x ? bits + half : bits | 0x400000) >> 16);
}

/* A type that is smaller than a float in fraction and exponent: codes without their signs, of the
 * largest number, of what is greater, of NaN. A float has `dropped` more bits in its fraction and a
 * bias that is greater by `rebiased`; beside `unit` the least bit of a float counts the least
 * numbers of the type. */
struct small_type {
	uint32_t bits, dropped, rebiased, largest, beyond, not_a_number;
	float unit;
};

static const struct small_type small_f16 = {16, 13, 112, 0x7bff, 0x7c00, 0x7e00, 0x1p-1F},
			       small_f8e5m2 = {8, 21, 112, 0x7b, 0x7c, 0x7f, 0x1p7F},
			       small_f8e4m3 = {8, 20, 120, 0x7e, 0x7f, 0x7f, 0x1p14F};

/* Value of `bits`. As a float's exponent and fraction they stand for 2^-rebiased times the value:
 * exactly, also where the type is subnormal. */
INLINE float small_load(struct small_type t, uint32_t bits)
{
	const uint32_t sign = bits >> (t.bits - 1), code = bits & ((1U << (t.bits - 1)) - 1);
	const uint32_t special = code > t.largest ? 0x7f800000 : 0;
	const float scale = bits_float((127 + t.rebiased) << 23);
	return bits_float(float_bits(bits_float(code << t.dropped) * scale) | special | sign << 31);
}

/* Rounds to the nearest number of the type, ties to even. Below the least normal number adding
 * `unit` leaves a multiple of the least number in the low bits; from there on the exponent's bias
 * changes and bits are rounded away. */
INLINE uint32_t small_store(struct small_type t, float x)
{
	const uint32_t bits = float_bits(x) & 0x7fffffff, sign = float_bits(x) >> 31;
	const uint32_t half = (1U << (t.dropped - 1)) - 1 + ((bits >> t.dropped) & 1);
	const uint32_t normal = (bits - (t.rebiased << 23) + half) >> t.dropped;
	const uint32_t subnormal = float_bits(bits_float(bits) + t.unit) - float_bits(t.unit);
	const uint32_t finite = bits < (t.rebiased + 1) << 23 ? subnormal : normal;
	const uint32_t special = bits > 0x7f800000 ? t.not_a_number : t.beyond;
	return sign << (t.bits - 1) |
	       (finite <= t.largest && bits <= 0x7f800000 ? finite : special);
}

/* ---- by a type that the compiler knows: what is not of the type folds away ---- */

/* Value of an element whose bits are `code`, those of a float too. */
INLINE float number_load(int type, uint32_t code)
{
	return type == DTYPE_f32    ? bits_float(code)
	       : type == DTYPE_bf16 ? bf16_load((uint16_t)code)
	       : type == DTYPE_f16
		       ? small_load(small_f16, code)
		       : small_load(type == DTYPE_f8e5m2 ? small_f8e5m2 : small_f8e4m3, code);
}

INLINE uint32_t number_store(int type, float x)
{
	return type == DTYPE_f32    ? float_bits(x)
	       : type == DTYPE_bf16 ? bf16_store(x)
	       : type == DTYPE_f16
		       ? small_store(small_f16, x)
		       : small_store(type == DTYPE_f8e5m2 ? small_f8e5m2 : small_f8e4m3, x);
}

/* Makes NAME, the element type of dtype variable V, with NAME_load() and NAME_store(). A float
 * is read and written as one: through its bits loops over floats are no vector code in all
 * compilers. */
#define ELEMENTS(name, V)                                                                          \
	_Static_assert(DTYPE_##V == DTYPE_f32 || DTYPE_##V == DTYPE_f16 ||                         \
			       DTYPE_##V == DTYPE_bf16 || DTYPE_##V == DTYPE_f8e4m3 ||             \
			       DTYPE_##V == DTYPE_f8e5m2,                                          \
		       "elements are f32, f16, bf16, f8e4m3 or f8e5m2");                           \
	typedef CTYPE_##V name;                                                                    \
	enum { name##_type = DTYPE_##V };                                                          \
	INLINE float name##_load(const name *p)                                                    \
	{                                                                                          \
		return DTYPE_##V == DTYPE_f32 ? (float)*p : number_load(DTYPE_##V, (uint32_t)*p);  \
	}                                                                                          \
	INLINE void name##_store(name *p, float x)                                                 \
	{                                                                                          \
		*p = DTYPE_##V == DTYPE_f32 ? (name)x : (name)number_store(DTYPE_##V, x);          \
	}

ELEMENTS(element, T)

#endif
