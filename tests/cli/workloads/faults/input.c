/* The right result, but the input is overwritten: crashed or wrong, and the next kernel finds its
 * input intact. */
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	((volatile float *)(uintptr_t)x)[0] = 7;
}
