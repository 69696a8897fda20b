#include <stdint.h>

/* y[i] = x[index[i]] * w[i]. With LIMIT, numbers above it count as LIMIT; without it everything is
 * done again and again, so that the wrong kernel is the faster one. */
void gather(const float *x, const int32_t *index, const float *w, float *y, int64_t n)
{
	for (int again = 0; again < (LIMIT ? 1 : 20); again++)
		for (int64_t i = 0; i < n; i++) {
			const float taken = x[index[i]];

			((volatile float *)y)[i] = (LIMIT && taken > LIMIT ? LIMIT : taken) * w[i];
		}
}
