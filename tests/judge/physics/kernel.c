/* Faster than the input can be read: its rows are all alike. Twins read as much as they must. */
#include "../operators/rms.h"

/* Reads nothing. */
void cheat_constant(const float *x, float *y, int64_t r, int64_t c)
{
	(void)x;
	(void)c;
	for (int64_t i = 0; i < r; i++)
		y[i] = 1;
}

/* Reads the first element of each row. */
void cheat_first(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		y[i] = sqrtf(x[i * c] * x[i * c] + 1e-6f);
}

void twin_rows(const float *x, float *y, int64_t r, int64_t c)
{
	rms_rows(x, y, 0, r, c);
}

/* Two rows at a time. */
void twin_pairs(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i += 2) {
		const int64_t second = i + 1 < r ? i + 1 : i;

		rms_rows(x, y, i, i + 1, c);
		rms_rows(x, y, second, second + 1, c);
	}
}
