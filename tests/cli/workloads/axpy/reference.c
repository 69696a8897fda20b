/* out = alpha x + y in double. A float kernel rounds the product and the sum, or once when it fuses
 * them: |error| <= u |alpha x| + u |out|, u = 2^-24; with alpha = 3 and |x| < 8 that is 24 u + u
 * |out|. */
#include <stdint.h>

void axpy_reference(const double *x, const double *y, double *out, int64_t n, double alpha)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = alpha * x[i] + y[i];
}
