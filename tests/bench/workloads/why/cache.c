/* Sums of W rows that begin at each row. The fault, FAULT 1: each sum reads its W rows, which L1
 * does not hold; without it a sum is the one before, less the first of its rows and with the next
 * one. */
#include <stdint.h>

static void add_four(float *restrict sum, const float *restrict x, int64_t c)
{
	for (int64_t k = 0; k < c; k++)
		sum[k] += x[k] + x[c + k] + x[2 * c + k] + x[3 * c + k];
}

/* c is at most 512, w a multiple of 4. */
void window_sums(const float *x, float *out, int64_t c, int64_t w, int64_t rows, int64_t block)
{
	float sum[512];

	for (int64_t r = block * rows; r < (block + 1) * rows; r++) {
		const float *first = x + r * c, *behind = first + w * c;

		if (FAULT || r == block * rows) {
			for (int64_t k = 0; k < c; k++)
				sum[k] = 0;
			for (int64_t i = 0; i < w; i += 4)
				add_four(sum, first + i * c, c);
		} else {
			for (int64_t k = 0; k < c; k++)
				sum[k] += behind[k - c] - first[k - c];
		}
		for (int64_t k = 0; k < c; k++)
			out[r * c + k] = sum[k];
	}
}
