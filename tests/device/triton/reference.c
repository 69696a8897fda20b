#include <stdint.h>

void scale_rows(const double *x, const double *bias, double *y, int64_t rows, int64_t columns,
		int64_t big)
{
	for (int64_t i = 0; i < rows; i++)
		for (int64_t k = 0; k < columns; k++)
			y[i * columns + k] = 2 * x[i * columns + k] + (bias ? bias[k] : 0) +
					     (double)(big % 1000);
}
