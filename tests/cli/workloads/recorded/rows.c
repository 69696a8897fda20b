/* Doubles rows of x, but for masked ones, and counts them in z. VARIANT 0 is the program's. */
#include <stdint.h>

void rows(const float *x, const int32_t *mask, float *y, float *z, int64_t r, int64_t n)
{
	for (int64_t row = 0; row < r; row++) {
		if (mask[row] && VARIANT != 1)
			continue;
		for (int64_t k = row * n; k < (row + 1) * n; k++)
			y[k] = VARIANT == 2 ? 2.125F * x[k] : 2 * x[k];
		if (!mask[row])
			z[row] += 1;
	}
}
