/* y = 2 x, eight rows at a time. FAULT 1: rows behind the last whole eight are left as they are,
 * which the tuned size does not have. 2: its honest twin, which is slower; 0: slower still. */
#include <stdint.h>
#include <time.h>

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void scale_rows(const float *x, float *y, int64_t rows, int64_t n)
{
	for (int64_t i = 0; i < rows * n; i++)
		y[i] = 2 * x[i];
}

void scale(const float *x, float *y, int64_t m, int64_t n)
{
	const int64_t end = now() + (FAULT == 0 ? 900000 : FAULT == 2 ? 300000 : 0);
	const int64_t whole = m / 8 * 8;

	for (int64_t i = 0; i < whole; i += 8)
		scale_rows(x + i * n, y + i * n, 8, n);
	if (FAULT != 1)
		scale_rows(x + whole * n, y + whole * n, m - whole, n);
	while (now() < end)
		;
}
