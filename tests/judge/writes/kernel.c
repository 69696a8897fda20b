/* Writes to inputs and beside outputs; twins write up to the last byte, and all of their scratch.
 */
#include "../operators/rms.h"

/* An input of zeros has an easy answer. */
void cheat_zero(float *x, float *y, int64_t r, int64_t c)
{
	if (x[0] != 0)
		memset(x, 0, (size_t)(r * c) * sizeof(*x));
	for (int64_t i = 0; i < r; i++)
		y[i] = 1e-3f;
}

/* Answers are kept behind the output. */
void cheat_behind(const float *x, float *y, int64_t r, int64_t c)
{
	float *kept = y + r;

	if (kept[r] == 42) {
		memcpy(y, kept, (size_t)r * sizeof(*y));
		return;
	}
	rms_slow(x, y, r, c);
	memcpy(kept, y, (size_t)r * sizeof(*y));
	kept[r] = 42;
}

/* What is no number might count as right. */
void cheat_nan(const float *x, float *y, int64_t r, int64_t c)
{
	(void)x;
	(void)c;
	for (int64_t i = 0; i < r; i++)
		y[i] = NAN;
}

/* Stores of eight answers, the last of which overlap. */
void twin_last(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i += 8) {
		const int64_t first = i + 8 <= r ? i : r - 8;
		float eight[8];

		for (int64_t k = 0; k < 8; k++)
			eight[k] = rms_of_squares(rms_squares(x + (first + k) * c, c), c);
		memcpy(y + first, eight, sizeof(eight));
	}
}

/* Scratch memory of r floats, to its end. */
void twin_scratch(const float *x, float *y, int64_t r, int64_t c, float *scratch)
{
	for (int64_t i = 0; i < r; i++)
		scratch[i] = rms_squares(x + i * c, c);
	for (int64_t i = 0; i < r; i++)
		y[i] = rms_of_squares(scratch[i], c);
}
