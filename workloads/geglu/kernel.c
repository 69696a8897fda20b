/* Gated activation, out = gelu(a) b, element by element. One call takes `block` elements of
 * `count`. UNROLL, a build-stage parameter, is how many vectors of them go on side by side. */
#include <math.h>
#include <stdint.h>

#include "../cpu/element.h"

enum { WIDTH = 16 * UNROLL };

/* 2^x, for x from -126 to 126.
 *
 * x = n + f with n the nearest integer; 2^f is the polynomial of sdpa/softmax.h, with a relative
 * error below 1.1e-7 in float arithmetic. */
INLINE float power_of_two(float x)
{
	const float magic = 0x1.8p23F; /* adding it leaves the nearest integer in the low bits */
	const float least = x < -126.0F ? -126.0F : x, bounded = least > 126.0F ? 126.0F : least;
	const float shifted = bounded + magic, f = bounded - (shifted - magic);
	float p = f * 0x1.41d334p-13F + 0x1.5f456ap-10F;
	p = p * f + 0x1.3b2dbcp-7F;
	p = p * f + 0x1.c6aed4p-5F;
	p = p * f + 0x1.ebfbdap-3F;
	p = p * f + 0x1.62e430p-1F;
	p = p * f + 1.0F;
	return p * bits_float((float_bits(shifted) << 23) + (127U << 23));
}

/* x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3) */
INLINE float gelu(float x)
{
	const float exponent =
		-2.3022082F * (x + 0.044715F * x * x * x); /* -2 sqrt(2 / pi) log2(e) */
	return x / (1 + power_of_two(exponent));
}

void geglu(const element *restrict a, const element *restrict b, element *restrict out,
	   int64_t count, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = first + block < count ? first + block : count;
	int64_t i = first;
	for (; i + WIDTH <= end; i += WIDTH)
		for (int64_t j = i; j < i + WIDTH; j++)
			element_store(out + j, gelu(element_load(a + j)) * element_load(b + j));
	for (; i < end; i++)
		element_store(out + i, gelu(element_load(a + i)) * element_load(b + i));
}
