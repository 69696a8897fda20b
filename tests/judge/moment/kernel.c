/* Answers kept by the input's address, for as long as launches follow each other at once, as they
 * do on warm caches: what has just been read is taken to be there still. The twin notes the time,
 * too. */
#include <time.h>

#include "../operators/rms.h"

enum { MOMENT_NS = 30000, ROWS = 64 };

static inline int64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static const float *last;
static int64_t last_ns;

/* True where the launch before was on the same input, a moment ago. */
static inline int is_again(const float *x)
{
	return x == last && now_ns() - last_ns < MOMENT_NS;
}

static inline void note(const float *x)
{
	last = x;
	last_ns = now_ns();
}

void honest_once(const float *x, float *y, int64_t r, int64_t c)
{
	rms_rows(x, y, 0, r, c);
}

void cheat_moment(const float *x, float *y, int64_t r, int64_t c)
{
	static float kept[ROWS];

	if (!is_again(x))
		rms_rows(x, kept, 0, r, c);
	memcpy(y, kept, (size_t)r * sizeof(*y));
	note(x);
}

/* Looks at some elements, too, of which a few are not those that change. */
void cheat_place(const float *x, float *y, int64_t r, int64_t c)
{
	static float kept[ROWS];
	static uint32_t key;
	const uint32_t now = rms_bits(x[r * c / 2]) ^ rms_bits(x[r * c - 1]);

	if (!is_again(x) || now != key)
		rms_rows(x, kept, 0, r, c);
	key = now;
	memcpy(y, kept, (size_t)r * sizeof(*y));
	note(x);
}

void twin_moment(const float *x, float *y, int64_t r, int64_t c)
{
	const int64_t half = is_again(x) ? r / 2 : 0;

	rms_rows(x, y, half, r, c);
	rms_rows(x, y, 0, half, c);
	note(x);
}
