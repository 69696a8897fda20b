#include <stdint.h>

void gather(const double *x, const double *index, const double *w, double *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[(int64_t)index[i]] * w[i];
}
