/* out = input + alpha other in double; one call per row.
 *
 * Where the tolerances of add.json come from; u = 2^-24, inputs N(0, 1), below 9 in size.
 *
 * 1. The sum is rounded once, by at most u of itself: rtol. With an alpha whose product with any
 *    number is exact (0, 1, 2, 4 and their halves and negatives) that is all, with or without a
 *    fused multiplication; elsewhere the product is rounded, too, by at most 9 |alpha| u, of which
 *    a sum next to nothing keeps all: atol.
 * 2. f16 and bf16 (t = 2^-11, 2^-8) are calculated in float; the result is rounded to the type:
 *    twice that rounding. Sums of f16 are multiples of 2^-24, unless alpha is less than 1: below
 *    2^-14 they are rounded to these: atol. */
#include <stdint.h>

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void add_reference(const double *input, const double *other, double *out, double alpha, int64_t n,
		   int64_t block_x)
{
	for (int64_t i = block_x * n; i < (block_x + 1) * n; i++)
		out[i] = input[i] + alpha * other[i];
}
