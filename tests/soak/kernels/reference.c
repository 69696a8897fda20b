/* y = 2 x, by a function of a library that a hostile kernel changes. */
#include <math.h>
#include <stdint.h>

void scale_reference(const double *x, double *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = ldexp(x[i], 1);
}
