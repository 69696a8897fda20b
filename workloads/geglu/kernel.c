/* Gated activation, out = gelu(a) b, element by element. One call takes `block` elements of
 * `count`. UNROLL, a build-stage parameter, is how many vectors of them go on side by side. */
#include <math.h>
#include <stdint.h>

#include "../cpu/element.h"
#include "../cpu/exp2.h"

enum { WIDTH = 16 * UNROLL };

/* x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3) */
INLINE float gelu(float x)
{
	const float exponent =
		-2.3022082F * (x + 0.044715F * x * x * x); /* -2 sqrt(2 / pi) log2(e) */
	const float least = exponent < -126.0F ? -126.0F : exponent;
	return x / (1 + power_of_two(least > 126.0F ? 126.0F : least));
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
