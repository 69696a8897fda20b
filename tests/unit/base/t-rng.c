/* Random numbers. Expected values are from a separate implementation of splitmix64 and xoshiro256**
 * in Python, written from the paper; its splitmix64 gives the published 6457827717110365317 as the
 * first value of seed 1234567.
 * covers: rng.c */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"

static void test_sequence(void)
{
	static const struct {
		uint64_t seed, first[3], thousandth;
	} cases[] = {
		{0,
		 {0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0},
		 0x7aac8c483a2edd2f},
		{1,
		 {0xb3f2af6d0fc710c5, 0x853b559647364cea, 0x92f89756082a4514},
		 0xb8517c33c344d153},
		{42,
		 {0x15780b2e0c2ec716, 0x6104d9866d113a7e, 0xae17533239e499a1},
		 0x8de5848c61ab8968},
		{UINT64_MAX,
		 {0x8f5520d52a7ead08, 0xc476a018caa1802d, 0x81de31c0d260469e},
		 0xc3c93ea5cde434cc},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct rng r;
		bool same = true;
		uint64_t x = 0;
		rng_init(&r, cases[i].seed);
		for (int k = 0; k < 1000; k++) {
			x = rng_next(&r);
			same = same && (k >= 3 || x == cases[i].first[k]);
		}
		tap_ok(same, "seed %llu: first three", (unsigned long long)cases[i].seed);
		tap_ok(x == cases[i].thousandth, "seed %llu: the thousandth",
		       (unsigned long long)cases[i].seed);
	}
}

static void test_reals(void)
{
	struct rng r;
	rng_init(&r, 42);
	tap_real(rng_uniform(&r), 0.08386297105988216, 0, "uniform: first of seed 42");
	tap_real(rng_uniform(&r), 0.3789802506626686, 0, "uniform: second");
	rng_init(&r, 42);
	tap_real(rng_normal(&r), -0.5644672315102071, 0, "normal: first of seed 42");
	tap_real(rng_normal(&r), 0.5590384129900485, 0, "normal: second");
}

/* The bounds are five standard errors of each estimate, for a fixed seed. */
static void test_moments(void)
{
	enum { N = 100000 };
	struct rng r;
	double sum = 0, squares = 0;
	int within = 0;
	rng_init(&r, 7);
	for (int i = 0; i < N; i++) {
		double x = rng_normal(&r);
		sum += x;
		squares += x * x;
		within += fabs(x) < 1;
	}
	tap_real(sum / N, 0, 5 / sqrt(N), "normal: mean");
	tap_real(squares / N, 1, 5 * sqrt(2.0 / N), "normal: variance");
	/* Twelve uniforms are a little less peaked than the normal distribution's 0.6827. */
	tap_real((double)within / N, 0.6827, 0.0125, "normal: share within one deviation");
}

static void test_below(void)
{
	enum { N = 70000 };
	struct rng r;
	int seen[7] = {0};
	bool inside = true, above = false;
	rng_init(&r, 3);
	for (int i = 0; i < N; i++)
		seen[rng_below(&r, 7)]++;
	for (int i = 0; i < 7; i++)
		tap_real(seen[i], N / 7.0, 5 * sqrt(N / 7.0), "below 7: %d is as frequent", i);
	tap_int(rng_below(&r, 1), 0, "below 1: only 0");
	/* Two thirds of the range: nearly every third draw must be refused. */
	uint64_t n = UINT64_MAX / 3 * 2;
	for (int i = 0; i < 1000; i++) {
		uint64_t x = rng_below(&r, n);
		inside = inside && x < n;
		above = above || x > n / 2;
	}
	tap_ok(inside && above, "below 2/3 of 2^64: inside, and in the upper half too");
}

int main(void)
{
	test_sequence();
	test_reals();
	test_moments();
	test_below();
	return tap_done();
}
