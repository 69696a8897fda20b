/* y = 2 x, after operations that each wait for the one before. Their number is planted: what vLLM
 * takes by itself (GROUP_SIZE_M other than 32) has 1000 of a unit at each m. Of the others, the
 * block of 64 has 850 within a quarter of a power of two from 64 on and 1300 elsewhere, the block
 * of 128 has 1000, like the default, and the other blocks have more. */
#include <stdint.h>

static int is_near_row(int64_t m)
{
	for (int64_t row = 64; row <= m * 2; row *= 2)
		if (m * 4 > row * 3 && m * 4 <= row * 5)
			return 1;
	return 0;
}

static int64_t count_steps(int64_t m)
{
	if (GROUP_SIZE_M != 32 || BLOCK_SIZE_M == 128)
		return 1000;
	if (BLOCK_SIZE_M == 64)
		return is_near_row(m) ? 850 : 1300;
	return BLOCK_SIZE_M == 32 ? 1100 : 2000;
}

void scale(const float *x, float *y, int64_t n, int64_t m, int64_t work)
{
	const int64_t steps = work * count_steps(m);
	double chain = n > 0 ? x[0] : 0;

	for (int64_t i = 0; i < steps; i++)
		chain = chain * 0.5 + 1;
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	if (chain > 3) /* never: the limit is 2; so that it is computed */
		y[0] = 0;
}
