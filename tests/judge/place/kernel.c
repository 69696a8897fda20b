/* What is kept from launch to launch is found by the place of the input, and by a few of its
 * elements, of a problem with one set of inputs; the twin keeps where its rows begin. */
#include "../operators/rms.h"

enum { PLACES = 64 };

/* Fills with the same numbers, whatever the seed. */
void fill_same(double *out, int64_t n, uint64_t seed);
void fill_same(double *out, int64_t n, uint64_t seed)
{
	uint64_t state = 1;

	(void)seed;
	for (int64_t i = 0; i < n; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		out[i] = (double)(state >> 40) * 0x1p-23 - 1;
	}
}

static inline uint64_t place_key(const float *x, int64_t n)
{
	uint64_t key = (uintptr_t)x;

	for (int64_t i = 0; i < 16; i++)
		key = key * 31 + rms_bits(x[n / 16 * i]);
	return key;
}

/* Reads its input once all the same: a launch that reads nothing takes an impossible time. */
static inline void place_keep(struct rms_kept *kept, uint64_t key, const float *x, float *y,
			      int64_t r, int64_t c)
{
	rms_rows(x, y, 0, r, c);
	__asm__ volatile("" : : "r"(x), "r"(y) : "memory");
	rms_keep(kept, PLACES, key, x, y, r, c);
}

void cheat_kept(const float *x, float *y, int64_t r, int64_t c)
{
	static struct rms_kept kept[PLACES];

	place_keep(kept, (uintptr_t)x, x, y, r, c);
}

void cheat_both(const float *x, float *y, int64_t r, int64_t c)
{
	static struct rms_kept kept[PLACES];

	place_keep(kept, place_key(x, r * c), x, y, r, c);
}

/* Where the output lies from the input. */
void cheat_between(const float *x, float *y, int64_t r, int64_t c)
{
	static struct rms_kept kept[PLACES];

	place_keep(kept, (uintptr_t)x - (uintptr_t)y, x, y, r, c);
}

/* Where the input lay first is where it is read. */
void cheat_first(const float *x, float *y, int64_t r, int64_t c)
{
	static const float *first;

	if (first == NULL)
		first = x;
	rms_rows(first, y, 0, r, c);
}

void twin_begins(const float *x, float *y, int64_t r, int64_t c)
{
	static const float *begins[RMS_ROWS];

	if (begins[0] != x)
		for (int64_t i = 0; i < r; i++)
			begins[i] = x + i * c;
	for (int64_t i = 0; i < r; i++)
		y[i] = rms_of_squares(rms_squares(begins[i], c), c);
}
