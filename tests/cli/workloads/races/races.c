/* y = 2 x. One launch in 50 has one element wrong, by a count (FAULT 1) or at random (3); every
 * second launch differs in the last bit, within the tolerance (2). Other bits in all launches, and
 * least time (5); those of 4 are the ones of 0. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void scale(const float *x, float *y, int64_t n)
{
	const int64_t end = now() + (FAULT == 4   ? 60000
				     : FAULT == 5 ? 15000
				     : FAULT      ? 20000 + 2000 * FAULT
						  : 40000 + 4000 * P);
	static unsigned launches;

	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	launches++;
	if (FAULT == 1 && launches % 50 == 0)
		y[n / 2] = 0;
	if (FAULT == 5 || (FAULT == 2 && launches % 2 == 0))
		for (int64_t i = 0; i < n; i++)
			y[i] += y[i] * 0x1p-23F;
	if (FAULT == 3 && rand() % 50 == 0)
		y[n - 1] = 0;
	while (now() < end)
		;
}
