/* Computes in what it finds: right where that is the environment of a program's start. */
#include <stdint.h>

void third(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] / 3.0F;
}
