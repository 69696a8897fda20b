#include <math.h>
#include <stdint.h>

/* y = silu(2 x) 3 x, in three steps on a GPU. */
void gated(const double *x, double *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i] / (1 + exp(-2 * x[i])) * 3 * x[i];
}
