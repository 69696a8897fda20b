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

/* Keeps a form of the input, as of packed weights, by address and some elements: to make it takes
 * less than a launch with it, and both more than the honest kernel. */
void cheat_form(const float *x, float *y, int64_t r, int64_t c)
{
	enum { PASSES = 7, FORMS = 16, TO_MAKE = 6 };
	static uint64_t keys[FORMS];
	static unsigned next;
	uint64_t key = (uintptr_t)x;
	int made = 0;

	for (int64_t i = 0; i < 16; i++)
		key = key * 31 + rms_bits(x[r * c / 16 * i]);
	for (int i = 0; i < FORMS; i++)
		made |= keys[i] == key;
	for (int pass = 0; pass < (made ? PASSES : PASSES + TO_MAKE); pass++) {
		rms_rows(x, y, 0, r, c);
		__asm__ volatile("" : : "r"(x), "r"(y) : "memory");
	}
	if (!made)
		keys[next++ % FORMS] = key;
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
