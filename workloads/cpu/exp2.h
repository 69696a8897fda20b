/* Powers of two of vectors of floats in CPU kernels, and the gates that are made of them. */
#ifndef ASCTUNE_CPU_EXP2_H
#define ASCTUNE_CPU_EXP2_H

#include "rows.h"

/* 2^x of each lane: 0 below -126.5, infinite above 127.5, NaN for NaN.
 *
 * x = n + f with n the nearest integer; 2^f is a polynomial of degree 6 on [-1/2, 1/2], minimax in
 * the relative error (Remez's algorithm in 40 digits: 1.9e-9), constant term rounded to 1 so that
 * 2^0 is exact. With float arithmetic the relative error is below 1.1e-7 over the whole range. */
INLINE vec vec_power_of_two(vec any)
{
	const float magic = 0x1.8p23F; /* adding it leaves the nearest integer in the low bits */
	const vec x = vec_least(vec_most(any, vec_all(-127)), vec_all(128));
	const vec shifted = x + magic, f = x - (shifted - magic);
	vec p = f * 0x1.41d334p-13F + 0x1.5f456ap-10F;
	p = p * f + 0x1.3b2dbcp-7F;
	p = p * f + 0x1.c6aed4p-5F;
	p = p * f + 0x1.ebfbdap-3F;
	p = p * f + 0x1.62e430p-1F;
	p = p * f + 1.0F;
	/* The exponent's bits of n = -127 and 128 are those of 0 and of infinity. */
	return p * (vec)(((vec_bits)shifted << 23) + (127U << 23));
}

/* a / b for b from 1 to infinity. What becomes a bf16 is multiplied by a reciprocal with a relative
 * error of 2^-14: to divide takes longer than all else of a gate. */
INLINE vec vec_quotient(vec a, vec b)
{
#if defined(__AVX512F__)
	if (element_type == DTYPE_bf16)
		return a * (vec)__builtin_ia32_rcp14ps512_mask(b, (vec){0}, -1);
#endif
	return a / b;
}

/* x / (1 + exp(-x)); NaN for -infinity, as PyTorch has it. */
INLINE vec vec_silu(vec x)
{
	return vec_quotient(x, 1 + vec_power_of_two(x * -1.44269504F));
}

#endif
