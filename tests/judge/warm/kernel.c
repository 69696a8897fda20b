/* An input kept near: a copy in memory that no flush knows, found by a few elements. Its twin
 * copies each row as it goes. */
#include "../operators/rms.h"

/* One pass over what memory gives: no cheat is faster without what it has kept. */
void honest_once(const float *x, float *y, int64_t r, int64_t c)
{
	rms_rows(x, y, 0, r, c);
}

/* Three elements are the key. */
void cheat_copy(const float *x, float *y, int64_t r, int64_t c)
{
	static float *copy;
	static uint32_t key;
	const uint32_t now = rms_bits(x[0]) ^ rms_bits(x[r * c / 2]) ^ rms_bits(x[r * c - 1]);

	if (copy == NULL || key != now) {
		if (copy == NULL && (copy = malloc((size_t)(r * c) * sizeof(*copy))) == NULL)
			return;
		memcpy(copy, x, (size_t)(r * c) * sizeof(*copy));
		key = now;
	}
	rms_rows(copy, y, 0, r, c);
}

void twin_row(const float *x, float *y, int64_t r, int64_t c)
{
	static float copy[1 << 16];

	for (int64_t i = 0; i < r; i++) {
		memcpy(copy, x + i * c, (size_t)c * sizeof(*copy));
		y[i] = rms_of_squares(rms_squares(copy, c), c);
	}
}
