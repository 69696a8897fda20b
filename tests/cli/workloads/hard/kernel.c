/* y = 2 x. Right on the numbers of a normal distribution, the faster the higher FAULT is:
 * 0, 1: always right; 2: NaN becomes 0; 3: numbers beyond half of the largest stay finite;
 * 4: rows that equal the first one are taken for empty; 5: zero becomes 1; 6: small matrices are
 * taken for empty. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static float scale_one(float x)
{
	if (FAULT == 2 && isnan(x))
		return 0;
	if (FAULT == 3 && isfinite(x) && fabsf(x) > FLT_MAX / 2)
		return copysignf(FLT_MAX, x);
	return FAULT == 5 && x == 0 ? 1 : 2 * x;
}

void scale(const float *x, float *y, int64_t m, int64_t n)
{
	const int64_t end = now() + 100000 * (6 - FAULT);
	const float factor = FAULT == 6 && m * n < 1 << 20 ? 0 : 1;

	for (int64_t i = 0; i < m * n; i++)
		y[i] = factor * scale_one(x[i]);
	for (int64_t i = 1; FAULT == 4 && i < m; i++)
		if (memcmp(x, x + i * n, (size_t)n * sizeof *x) == 0)
			memset(y + i * n, 0, (size_t)n * sizeof *y);
	while (now() < end)
		;
}
