/* Softmax of each row. */
#include <math.h>
#include <stdint.h>

void softmax_reference(const double *x, double *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		double most = -INFINITY, sum = 0;

		for (int64_t j = 0; j < c; j++)
			most = x[i * c + j] > most || isnan(x[i * c + j]) ? x[i * c + j] : most;
		for (int64_t j = 0; j < c; j++)
			sum += exp(x[i * c + j] - most);
		for (int64_t j = 0; j < c; j++)
			y[i * c + j] = exp(x[i * c + j] - most) / sum;
	}
}
