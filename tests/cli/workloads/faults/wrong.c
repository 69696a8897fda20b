/* One element of all is off by a tenth: wrong. */
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	y[n / 2] += 0.1F;
}
