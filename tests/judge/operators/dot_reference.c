/* Product of each row with a vector. */
#include <stdint.h>

void dot_reference(const double *x, const double *w, double *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		y[i] = 0;
		for (int64_t j = 0; j < c; j++)
			y[i] += x[i * c + j] * w[j];
	}
}
