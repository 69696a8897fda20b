/* Powers of two of floats in CPU kernels, without branches, so that loops over them become vector
 * code. */
#ifndef ASCTUNE_CPU_EXP2_H
#define ASCTUNE_CPU_EXP2_H

#include "element.h"

/* 2^x, for x from -126 to 126.
 *
 * x = n + f with n the nearest integer; 2^f is the polynomial of sdpa/softmax.h, with a relative
 * error below 1.1e-7 in float arithmetic. */
INLINE float power_of_two(float x)
{
	const float magic = 0x1.8p23F; /* adding it leaves the nearest integer in the low bits */
	const float shifted = x + magic, f = x - (shifted - magic);
	float p = f * 0x1.41d334p-13F + 0x1.5f456ap-10F;
	p = p * f + 0x1.3b2dbcp-7F;
	p = p * f + 0x1.c6aed4p-5F;
	p = p * f + 0x1.ebfbdap-3F;
	p = p * f + 0x1.62e430p-1F;
	p = p * f + 1.0F;
	return p * bits_float((float_bits(shifted) << 23) + (127U << 23));
}

#endif
