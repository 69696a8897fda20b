/* What kernel.c is made of below the level of attention: elements, vectors, 2^x and register tiles.
 *
 * A kernel is one translation unit, compiled anew for each configuration, so its functions are
 * defined here; the build-stage parameters ROWS and UNROLL are macros. */
#ifndef ASCTUNE_SDPA_TILE_H
#define ASCTUNE_SDPA_TILE_H

#include <stdint.h>
#include <string.h>

/* The element type of the tensors. Arithmetic is in float: a 16-bit storage needs only its own
 * element_load and element_store, and vec_load's of it. */
typedef float element;

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

typedef float vec __attribute__((vector_size(VECTOR_BYTES)));
typedef float vec_unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

enum {
	LANES = VECTOR_BYTES / 4,
	WIDTH = 2 * LANES, /* columns of a register tile */
	MAX_WIDTH = 32     /* on any machine: the size of the scratch must not depend on it */
};

#define PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define REPEAT(n) PRAGMA(clang loop unroll_count(n))
/* clang 14 leaves the maximum in softmax_row scalar, which costs little, and warns. */
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define REPEAT(n) PRAGMA(GCC unroll n)
#endif
#define INLINE static inline __attribute__((always_inline))

INLINE int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

INLINE int64_t round_up(int64_t n, int64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

INLINE float element_load(const element *p)
{
	return *p;
}

INLINE void element_store(element *p, float x)
{
	*p = x;
}

INLINE vec vec_load(const float *p)
{
	return *(const vec_unaligned *)p;
}

INLINE void vec_store(float *p, vec x)
{
	*(vec_unaligned *)p = x;
}

/* 2^x for x <= 0; below 2^-126 it stays at 2^-126, NaN stays NaN.
 *
 * x = n + f with n the nearest integer; 2^f is a polynomial of degree 6 on [-1/2, 1/2], minimax in
 * the relative error (Remez's algorithm in 40 digits: 1.9e-9), constant term rounded to 1 so that
 * 2^0 is exact. With float arithmetic the relative error is below 1.1e-7 over the whole range. */
INLINE float power_of_two(float x)
{
	const float magic = 0x1.8p23F; /* adding it leaves the nearest integer in the low bits */
	x = x < -126.0F ? -126.0F : x;
	const float shifted = x + magic;
	const float f = x - (shifted - magic);
	float p = 0x1.41d334p-13F;
	p = p * f + 0x1.5f456ap-10F;
	p = p * f + 0x1.3b2dbcp-7F;
	p = p * f + 0x1.c6aed4p-5F;
	p = p * f + 0x1.ebfbdap-3F;
	p = p * f + 0x1.62e430p-1F;
	p = p * f + 1.0F;
	uint32_t bits = 0;
	memcpy(&bits, &shifted, sizeof bits);
	bits = (bits << 23) + (127U << 23);
	float power = 0;
	memcpy(&power, &bits, sizeof power);
	return p * power;
}

/* sum += A b: ROWS rows of A (stride a_stride) by a strip of WIDTH columns (stride b_stride). */
INLINE void tile_multiply(vec sum[ROWS][2], const float *restrict a, int64_t a_stride,
			  const float *restrict b, int64_t b_stride, int64_t depth)
{
	REPEAT(UNROLL)
	for (int64_t i = 0; i < depth; i++) {
		const vec left = vec_load(b + i * b_stride);
		const vec right = vec_load(b + i * b_stride + LANES);
		REPEAT(ROWS)
		for (int r = 0; r < ROWS; r++) {
			const float x = a[r * a_stride + i];
			sum[r][0] += x * left;
			sum[r][1] += x * right;
		}
	}
}

INLINE void tile_store(float *out, int64_t stride, vec sum[ROWS][2])
{
	REPEAT(ROWS)
	for (int r = 0; r < ROWS; r++) {
		vec_store(out + r * stride, sum[r][0]);
		vec_store(out + r * stride + LANES, sum[r][1]);
	}
}

#endif
