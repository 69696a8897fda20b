/* Every tensor is an array of its own here, one element after another. */
#include <stdint.h>

void views_reference(const double *x, const double *first, double *y, double *signs,
		     const double *bias, const double *before, double *after, int64_t m, int64_t n)
{
	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j++)
			y[i * n + j] = x[i * n + j] + first[i * n + j] + bias[i];
		signs[i] = x[i * n] < 0 ? -1 : 1;
	}
	for (int64_t j = 0; j < n; j++)
		after[j] = 2 * before[j] + 1;
}
