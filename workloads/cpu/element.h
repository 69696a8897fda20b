/* Elements of the tensors of a CPU kernel: float, or 16 or 8 bits that become floats when they are
 * read and are rounded when they are written. Kernels calculate in float.
 *
 * The type is that of the problem's dtype variable T (macros DTYPE_T and CTYPE_T of the builder).
 * Conversions are by bits and without branches on the way in, so that loops over them become
 * vector code on every machine; C17 compilers have no type for bf16 and for 8 bits, and not all one
 * for f16. */
#ifndef ASCTUNE_CPU_ELEMENT_H
#define ASCTUNE_CPU_ELEMENT_H

#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef CTYPE_T element;

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

#if DTYPE_T == DTYPE_bf16

INLINE float element_load(const element *p)
{
	return bits_float((uint32_t)*p << 16);
}

/* To the nearest, ties to even; NaN keeps its upper bits and stays one. */
INLINE void element_store(element *p, float x)
{
	const uint32_t bits = float_bits(x), half = 0x7fff + ((bits >> 16) & 1);
	*p = (element)((x == x ? bits + half : bits | 0x400000) >> 16);
}

#elif DTYPE_T == DTYPE_f16 || DTYPE_T == DTYPE_f8e4m3 || DTYPE_T == DTYPE_f8e5m2

/* Codes without their signs: of the largest number, of what is greater, of NaN. A float has DROPPED
 * more bits in its fraction and a bias that is greater by REBIASED; beside UNIT the least bit of a
 * float counts the least numbers of the type. */
#if DTYPE_T == DTYPE_f16
enum { DROPPED = 13, REBIASED = 112, LARGEST = 0x7bff, BEYOND = 0x7c00, NOT_A_NUMBER = 0x7e00 };
#define UNIT 0x1p-1F
#elif DTYPE_T == DTYPE_f8e5m2
enum { DROPPED = 21, REBIASED = 112, LARGEST = 0x7b, BEYOND = 0x7c, NOT_A_NUMBER = 0x7f };
#define UNIT 0x1p7F
#else
enum { DROPPED = 20, REBIASED = 120, LARGEST = 0x7e, BEYOND = 0x7f, NOT_A_NUMBER = 0x7f };
#define UNIT 0x1p14F
#endif
enum { SIGN = 1 << (8 * sizeof(element) - 1) };

/* The bits, as a float's exponent and fraction, stand for 2^-REBIASED times the value: exactly,
 * also where the type is subnormal. */
INLINE float element_load(const element *p)
{
	const uint32_t code = *p & (SIGN - 1U), sign = (*p & (uint32_t)SIGN)
						       << (32 - 8 * sizeof *p);
	const uint32_t special = code > LARGEST ? 0x7f800000 : 0;
	const float scale = bits_float((127U + REBIASED) << 23);
	return bits_float(float_bits(bits_float(code << DROPPED) * scale) | special | sign);
}

/* To the nearest, ties to even. Below the least normal number adding UNIT leaves a multiple of the
 * least number in the low bits; from there on the exponent's bias changes and bits are rounded
 * away. */
INLINE void element_store(element *p, float x)
{
	const uint32_t bits = float_bits(x) & 0x7fffffff;
	const uint32_t sign = (float_bits(x) ^ bits) >> (32 - 8 * sizeof *p);
	const uint32_t half = (1U << (DROPPED - 1)) - 1 + ((bits >> DROPPED) & 1);
	const uint32_t normal = (bits - ((uint32_t)REBIASED << 23) + half) >> DROPPED;
	const uint32_t subnormal = float_bits(bits_float(bits) + UNIT) - float_bits(UNIT);
	const uint32_t finite = bits < (REBIASED + 1U) << 23 ? subnormal : normal;
	const uint32_t special = bits > 0x7f800000 ? NOT_A_NUMBER : BEYOND;
	*p = (element)(sign | (finite <= LARGEST && bits <= 0x7f800000 ? finite : special));
}

#elif DTYPE_T == DTYPE_f32

INLINE float element_load(const element *p)
{
	return *p;
}

INLINE void element_store(element *p, float x)
{
	*p = x;
}

#else
#error "elements are f32, f16, bf16, f8e4m3 or f8e5m2"
#endif

#endif
