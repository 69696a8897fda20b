/* Sums of rows, for centre.c. */
#include <stdint.h>

void sums(const float *x, float *sum, int64_t r, int64_t n)
{
	for (int64_t row = 0; row < r; row++) {
		sum[row] = 0;
		for (int64_t k = 0; k < n; k++)
			sum[row] += x[row * n + k];
	}
}
