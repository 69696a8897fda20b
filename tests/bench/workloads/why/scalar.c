/* Sums of the squares of rows. The fault, FAULT 1: one sum, whose order keeps the compiler from
 * adding several numbers at a time. */
#include <stdint.h>

enum { SUMS = FAULT ? 1 : 64 };

void squares(const float *x, float *out, int64_t n, int64_t rows, int64_t block)
{
	for (int64_t r = block * rows; r < (block + 1) * rows; r++) {
		float sums[SUMS] = {0}, sum = 0;

		for (int64_t i = 0; i < n; i += SUMS)
			for (int k = 0; k < SUMS; k++)
				sums[k] += x[r * n + i + k] * x[r * n + i + k];
		for (int k = 0; k < SUMS; k++)
			sum += sums[k];
		out[r] = sum;
	}
}
