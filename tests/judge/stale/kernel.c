/* The output left as it is found; twins write zeros in place of a half that they need not compute.
 */
#include "../operators/lower.h"

void cheat_nothing(const float *x, float *y, int64_t n)
{
	(void)x;
	(void)y;
	(void)n;
}

void cheat_once(const float *x, float *y, int64_t n)
{
	static int launches;

	if (launches++ == 0)
		lower_slow(x, y, n);
}

/* Upper and lower half of the rows in turns. */
void cheat_halves(const float *x, float *y, int64_t n)
{
	static unsigned launches;
	const int64_t first = launches++ % 2 ? n / 2 : 0;

	lower_half(x, y, first, first == 0 ? n / 2 : n, n);
}

/* Zeros are written where there are none yet. */
void cheat_zeros(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		if (i + 1 < n && y[i * n + i + 1] == 0)
			lower_row(x + i * n, y + i * n, i, lower_scale(x + i * n, i, 1));
		else
			lower_half(x, y, i, i + 1, n);
}

void twin_zeros(const float *x, float *y, int64_t n)
{
	lower_half(x, y, 0, n, n);
}

/* All zeros first, then what is none. */
void twin_cleared(const float *x, float *y, int64_t n)
{
	memset(y, 0, (size_t)(n * n) * sizeof(*y));
	for (int64_t i = 0; i < n; i++)
		lower_row(x + i * n, y + i * n, i, lower_scale(x + i * n, i, 1));
}
