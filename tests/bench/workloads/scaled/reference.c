#include <stdint.h>

void scale_reference(const double *x, double *out, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = 3 * x[i];
}
