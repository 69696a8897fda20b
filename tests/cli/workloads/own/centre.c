/* Rows less their mean, of which sums.c has made the sum. */
#include <stdint.h>

void centre(const float *x, const float *sum, float *y, int64_t r, int64_t n)
{
	for (int64_t k = 0; k < r * n; k++)
		y[k] = x[k] - sum[k / n] / (float)(n + VARIANT);
}
