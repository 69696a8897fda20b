#include "tuner/base/stats/rng.h"

#include <assert.h>

static uint64_t rotate_left(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t rng_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* Spreads one word over the state, which must not be all zero: splitmix64. */
static uint64_t seed_next(uint64_t *seed)
{
	return rng_mix(*seed += 0x9e3779b97f4a7c15);
}

void rng_init(struct rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->state[i] = seed_next(&seed);
}

/* Inlined where many numbers are drawn in a row, from a copy of the state in registers. */
static inline uint64_t draw(uint64_t s[4])
{
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t rng_next(struct rng *r)
{
	return draw(r->state);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	assert(n > 0);
	/* Refuses 2^64 mod n values, so that the rest is a multiple of n. */
	uint64_t refused = -n % n;
	uint64_t x;
	do {
		x = rng_next(r);
	} while (x < refused);
	return x % n;
}

double rng_uniform(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* The sum of twelve uniform 32-bit integers has the variance 2^64. Integers all the way to one
 * exact division: logarithms differ in their last bit from one machine to the next. */
double rng_normal(struct rng *r)
{
	struct rng own = *r;
	int64_t sum = 0;

	for (int i = 0; i < 6; i++) {
		uint64_t x = draw(own.state);
		sum += (int64_t)(x >> 32) + (int64_t)(x & UINT32_MAX);
	}
	*r = own;
	return (double)(sum - 6 * (int64_t)UINT32_MAX) * 0x1p-32;
}

void rng_shuffle(struct rng *r, size_t *list, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)rng_below(r, i), last = list[i - 1];

		list[i - 1] = list[k];
		list[k] = last;
	}
}
