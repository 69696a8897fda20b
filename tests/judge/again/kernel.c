/* Elements that are right already are not computed again, which one multiplication finds; twins
 * look at the output and compute all the same. */
#include <math.h>
#include <stdint.h>

/* Root by so many steps. */
static inline float root(float square, int steps)
{
	float y = square < 1 ? 1 : square;

	for (int i = 0; i < steps; i++) {
		y = 0.5f * (y + square / y);
		__asm__ volatile("" : "+x"(y));
	}
	return y;
}

enum {
	ENOUGH = 8, /* steps for numbers of a normal distribution */
	SLOW = 16,
	SLOWER = 20 /* what cheats need without an answer */
};

static inline float square_at(const float *x, int64_t i)
{
	return x[i] * x[i] + 1;
}

static inline int is_right(float y, float square)
{
	return y > 0 && fabsf(y * y - square) <= 1e-6f * square;
}

void honest_roots(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = root(square_at(x, i), SLOW);
}

void cheat_check(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		if (!is_right(y[i], square_at(x, i)))
			y[i] = root(square_at(x, i), SLOWER);
}

/* Saves less than half. */
void cheat_half(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		const float square = square_at(x, i);

		y[i] = root(square, is_right(y[i], square) ? SLOWER * 5 / 8 : SLOWER);
	}
}

void twin_faster(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = root(square_at(x, i), ENOUGH);
}

/* Stores only what differs from what is there. */
void twin_look(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		const float now = root(square_at(x, i), ENOUGH);

		if (now != y[i])
			y[i] = now;
	}
}
