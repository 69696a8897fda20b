/* One element is not a number, which no tolerance forgives: wrong. */
#include <math.h>
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	y[n - 1] = NAN;
}
