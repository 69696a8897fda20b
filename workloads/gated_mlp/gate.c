/* What follows two matrix products, out = silu(gates) values, element by element. One call takes
 * `block` elements of `count`. UNROLL, a build-stage parameter, is how many vectors of them go on
 * side by side. */
#include <stdint.h>

#include "../cpu/element.h"
#include "../cpu/exp2.h"

enum { WIDTH = 16 * UNROLL };

INLINE float silu(float z)
{
	const float exponent = -1.44269504F * z; /* -log2(e) z */
	const float least = exponent < -126.0F ? -126.0F : exponent;
	return z / (1 + power_of_two(least > 126.0F ? 126.0F : least));
}

void gate(const float *restrict gates, const float *restrict values, element *restrict out,
	  int64_t count, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = first + block < count ? first + block : count;
	int64_t i = first;
	for (; i + WIDTH <= end; i += WIDTH)
		for (int64_t j = i; j < i + WIDTH; j++)
			element_store(out + j, silu(gates[j]) * values[j]);
	for (; i < end; i++)
		element_store(out + i, silu(gates[i]) * values[i]);
}
