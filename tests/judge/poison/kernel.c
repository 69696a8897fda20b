/* Work only where the output has no answer yet; twins read the output, and compute all the same. */
#include "../operators/rms.h"

/* All bytes of the first element are ones. */
void cheat_pattern(const float *x, float *y, int64_t r, int64_t c)
{
	if (rms_bits(y[0]) == UINT32_MAX)
		rms_slow(x, y, r, c);
}

/* Rows are computed where there is no number. */
void cheat_nan(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		if (y[i] != y[i])
			rms_slow(x + i * c, y + i, 1, c);
}

/* Leaves an answer that is the one it gave last. */
void cheat_same(const float *x, float *y, int64_t r, int64_t c)
{
	static float answers[RMS_ROWS];

	if (memcmp(answers, y, (size_t)r * sizeof(*y)) == 0)
		return;
	rms_slow(x, y, r, c);
	memcpy(answers, y, (size_t)r * sizeof(*y));
}

/* Leaves an answer that has the size of one. */
void cheat_plausible(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		if (!(y[i] > 0.5f && y[i] < 2))
			rms_slow(x + i * c, y + i, 1, c);
}

/* Stores only what differs from what is there. */
void twin_silent(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		const float answer = rms_of_squares(rms_squares(x + i * c, c), c);

		if (rms_bits(answer) != rms_bits(y[i]))
			y[i] = answer;
	}
}

/* Touches the output's lines before it needs them. */
void twin_touch(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i += 16)
		(void)*(volatile const float *)(y + i);
	rms_rows(x, y, 0, r, c);
}
