/* Doubles the rows of x, but for masked ones, which it leaves alone, in outputs of several types,
 * of which y has 3 elements between its rows; counts the rows in `z`, which keeps what it held
 * where there is a mask. VARIANT 0 is the program's. */
#include <stdint.h>

void rows(const float *x, const int32_t *mask, float *y, uint16_t *h, int64_t *i, uint8_t *b,
	  float *z, int64_t r, int64_t n)
{
	for (int64_t row = 0; row < r; row++) {
		for (int64_t k = row * n; k < (row + 1) * n; k++) {
			const int first = row == 2 && k == 2 * n;

			if (mask[row] && VARIANT != 1)
				continue;
			if (VARIANT == 2 && first)
				continue;
			y[k + 3 * row] = mask[row] ? 0 : 2 * x[k] + (VARIANT == 3 && first);
			h[k] = (uint16_t)k;
			i[k] = k;
			b[k] = k % 3 == 0;
		}
		if (!mask[row] || VARIANT == 4)
			z[row] += 1;
	}
}
