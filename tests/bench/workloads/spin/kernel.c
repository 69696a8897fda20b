/* y = 2 x, then idle until 10 microseconds have passed. VARIANT only makes artifacts different. */
#include <stdint.h>
#include <time.h>

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

volatile int variant = VARIANT;

void scale(const float *x, float *y, int64_t n)
{
	int64_t end = now() + 10000;

	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	while (now() < end)
		;
}
