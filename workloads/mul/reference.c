/* out = input other in double; one call per row.
 *
 * Where the tolerances of mul.json come from; u = 2^-24.
 *
 * 1. The product is rounded once, by at most u of itself: rtol.
 * 2. f16 and bf16 (t = 2^-11, 2^-8) are calculated in float, exactly; the result is rounded to the
 *    type: twice that rounding. Below 2^-14 an f16 is rounded to a multiple of 2^-24: atol. */
#include <stdint.h>

void mul_reference(const double *input, const double *other, double *out, int64_t n,
		   int64_t block_x)
{
	for (int64_t i = block_x * n; i < (block_x + 1) * n; i++)
		out[i] = input[i] * other[i];
}
