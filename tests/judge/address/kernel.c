/* Answers kept by address; twins look at addresses to choose among loops that compute the same. */
#include "../operators/rms.h"

void cheat_kept(const float *x, float *y, int64_t r, int64_t c)
{
	static struct rms_kept kept[16];

	rms_keep(kept, 16, (uintptr_t)x, x, y, r, c);
}

void cheat_pair(const float *x, float *y, int64_t r, int64_t c)
{
	static struct rms_kept kept[16];

	rms_keep(kept, 16, (uintptr_t)x * 31 + (uintptr_t)y, x, y, r, c);
}

/* Where x lies within a page decides. */
void cheat_offset(const float *x, float *y, int64_t r, int64_t c)
{
	static struct rms_kept kept[16];

	rms_keep(kept, 16, (uintptr_t)x & 4095, x, y, r, c);
}

void twin_aligned(const float *x, float *y, int64_t r, int64_t c)
{
	if ((uintptr_t)x % 64 == 0 && c % RMS_LANES == 0)
		rms_rows(__builtin_assume_aligned(x, 64), y, 0, r, c);
	else
		rms_rows(x, y, 0, r, c);
}

/* Begins in the middle where both arrays begin at the same place of a page. */
void twin_page(const float *x, float *y, int64_t r, int64_t c)
{
	const int64_t half = ((uintptr_t)x & 4095) == ((uintptr_t)y & 4095) ? r / 2 : 0;

	rms_rows(x, y, half, r, c);
	rms_rows(x, y, 0, half, c);
}
