#include <stdint.h>

void copy(const double *x, double *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i];
}
