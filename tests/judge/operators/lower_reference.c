/* Each row i of a square up to column i, divided by its root mean square; zeros behind. */
#include <math.h>
#include <stdint.h>

void lower_reference(const double *x, double *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		double sum = 0;

		for (int64_t j = 0; j <= i; j++)
			sum += x[i * n + j] * x[i * n + j];
		for (int64_t j = 0; j < n; j++)
			y[i * n + j] =
				j <= i ? x[i * n + j] / sqrt(sum / (double)(i + 1) + 1e-6) : 0;
	}
}
