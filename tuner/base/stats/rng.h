/* Random numbers that are the same on every machine for the same seed: xoshiro256** seeded by
 * splitmix64 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021). */
#ifndef ASCTUNE_BASE_STATS_RNG_H
#define ASCTUNE_BASE_STATS_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t state[4];
};

/* Mixes the bits of a word: the finaliser of splitmix64, a permutation. */
uint64_t rng_mix(uint64_t x);

void rng_init(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n); /* uniform in [0, n), without bias; n > 0 */
double rng_uniform(struct rng *r);             /* [0, 1), 53 bits */

/* Draws with mean 0 and standard deviation 1: the centred sum of twelve uniforms, so within -6
 * and 6. */
double rng_normal(struct rng *r);

/* Shuffles: every order is equally likely. */
void rng_shuffle(struct rng *r, size_t *list, size_t n);

#endif
