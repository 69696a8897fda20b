/* In f64, of which rounding to f32 once more makes no other number. */
#include <stdint.h>

void third_reference(const double *x, double *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] / 3.0;
}
