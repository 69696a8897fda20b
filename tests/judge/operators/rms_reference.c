/* Root mean square of each row. */
#include <math.h>
#include <stdint.h>

void rms_reference(const double *x, double *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		double sum = 0;

		for (int64_t j = 0; j < c; j++)
			sum += x[i * c + j] * x[i * c + j];
		y[i] = sqrt(sum / (double)c + 1e-6);
	}
}
