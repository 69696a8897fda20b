/* Another's answer: what lies beside the output is searched for it. */
#include "../operators/rms.h"

/* Doubles behind the output that begin with the first two answers. */
void cheat_behind(const float *x, float *y, int64_t r, int64_t c)
{
	const double *doubles = (const double *)(((uintptr_t)(y + r) + 7) / 8 * 8);

	rms_rows(x, y, 0, 2, c);
	for (int64_t i = 0; i < 1 << 20; i++)
		if (fabs(doubles[i] - y[0]) < 1e-5 && fabs(doubles[i + 1] - y[1]) < 1e-5) {
			for (int64_t j = 2; j < r; j++)
				y[j] = (float)doubles[i + j];
			return;
		}
	rms_slow(x, y, r, c);
}

/* Floats between the input's end and twice its size. */
void cheat_before(const float *x, float *y, int64_t r, int64_t c)
{
	rms_rows(x, y, 0, 2, c);
	for (int64_t i = 0; i < r * c; i++)
		if (fabsf(x[-i - 2] - y[0]) < 1e-6f && fabsf(x[-i - 1] - y[1]) < 1e-6f) {
			memcpy(y, x - i - 2, (size_t)r * sizeof(*y));
			return;
		}
	rms_slow(x, y, r, c);
}

/* Looks at its own answers only, before it returns. */
void twin_checks(const float *x, float *y, int64_t r, int64_t c)
{
	rms_rows(x, y, 0, r, c);
	for (int64_t i = 0; i < r; i++)
		if (!(y[i] >= 0))
			rms_rows(x, y, i, i + 1, c);
}
