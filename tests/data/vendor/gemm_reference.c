#include <stdint.h>

/* Row `i` of c = a b. */
void gemm_reference(const double *a, const double *b, double *c, int64_t n, int64_t k, int64_t i)
{
	for (int64_t j = 0; j < n; j++)
		c[i * n + j] = 0;
	for (int64_t p = 0; p < k; p++)
		for (int64_t j = 0; j < n; j++)
			c[i * n + j] += a[i * k + p] * b[p * n + j];
}
