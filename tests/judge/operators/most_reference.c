/* Largest product of each row's elements with weights. */
#include <math.h>
#include <stdint.h>

void most_reference(const double *x, const double *w, double *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		double most = -INFINITY;

		for (int64_t j = 0; j < c; j++)
			most = x[i * c + j] * w[j] > most ? x[i * c + j] * w[j] : most;
		y[i] = most;
	}
}
