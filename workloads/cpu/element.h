/* What the tensors of a CPU kernel hold: float, or 16 bits that become floats when they are read
 * and are rounded when they are written. Kernels calculate in float.
 *
 * The type is that of the problem's dtype variable T (macros DTYPE_T and CTYPE_T of the builder).
 * Conversions are by bits and without branches on the way in, so that loops over them become
 * vector code on every machine; C17 compilers have no type for bf16, and not all one for f16. */
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

#elif DTYPE_T == DTYPE_f16

/* As a float's exponent and fraction the bits stand for 2^-112 times the value, exactly, also where
 * f16 is subnormal. What came out at 2^16 or above was infinite or NaN. */
INLINE float element_load(const element *p)
{
	const uint32_t sign = (*p & 0x8000U) << 16, rest = (*p & 0x7fffU) << 13;
	const uint32_t special = rest >= 0x7c00U << 13 ? 0x7f800000 : 0;
	return bits_float(float_bits(bits_float(rest) * 0x1p112F) | special | sign);
}

/* To the nearest, ties to even. Below 2^-14 adding 1/2 leaves a multiple of 2^-24 in the low bits;
 * from there on the exponent's bias changes by 112 and 13 bits are rounded away. */
INLINE void element_store(element *p, float x)
{
	const uint32_t bits = float_bits(x) & 0x7fffffff;
	const uint32_t sign = (float_bits(x) ^ bits) >> 16;
	const uint32_t normal = (bits - 0x38000000 + 0xfff + ((bits >> 13) & 1)) >> 13;
	const uint32_t subnormal = float_bits(bits_float(bits) + 0.5F) - 0x3f000000;
	const uint32_t special = bits > 0x7f800000 ? 0x7e00 : 0x7c00;
	const uint32_t finite = bits < 0x38800000 ? subnormal : normal;
	*p = (element)(sign | (bits < 0x47800000 ? finite : special));
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
#error "elements are f32, f16 or bf16"
#endif

#endif
