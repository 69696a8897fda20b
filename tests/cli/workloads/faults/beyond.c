/* The right result, and one element more, past the end of y: crashed or wrong, never ok. */
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	y[n] = 1;
}
