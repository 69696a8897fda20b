/* Sums of the first elements of rows. The fault, FAULT 1: whole rows are read, and what lies behind
 * a row's length is multiplied by zero. */
#include <stdint.h>

#define SUMS 64

#define MIN(a, b) ((a) < (b) ? (a) : (b))

static float sum_row(const float *x, int32_t length, int64_t n)
{
	const int64_t end = FAULT ? n : MIN((length + SUMS - 1) / SUMS * SUMS, n);
	float sums[SUMS] = {0}, sum = 0;

	for (int64_t i = 0; i < end; i += SUMS)
		for (int k = 0; k < SUMS; k++)
			sums[k] += x[i + k] * (float)(i + k < length);
	for (int k = 0; k < SUMS; k++)
		sum += sums[k];
	return sum;
}

/* n is a multiple of SUMS. */
void row_sums(const float *x, const int32_t *lengths, float *out, int64_t n, int64_t rows,
	      int64_t block)
{
	for (int64_t r = block * rows; r < (block + 1) * rows; r++)
		out[r] = sum_row(x + r * n, lengths[r], n);
}
