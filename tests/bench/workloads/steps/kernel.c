/* y = 2 x, after `work` STEPS operations that each wait for the one before: some 2 microseconds for
 * each of `work`. */
#include <stdint.h>

void scale(const float *x, float *y, int64_t n, int64_t work)
{
	double chain = n > 0 ? x[0] : 0;

	for (int64_t i = 0; i < work * STEPS; i++)
		chain = chain * 0.5 + 1;
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	if (chain > 3) /* never: the limit is 2; so that it is computed */
		y[0] = 0;
}
