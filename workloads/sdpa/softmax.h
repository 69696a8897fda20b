/* The online softmax of a row of scores, in vectors. */
#ifndef ASCTUNE_SDPA_SOFTMAX_H
#define ASCTUNE_SDPA_SOFTMAX_H

#include <math.h>

#include "../cpu/tile.h"

/* 2^x for x <= 0; below 2^-126 it stays at 2^-126, NaN stays NaN.
 *
 * x = n + f with n the nearest integer; 2^f is a polynomial of degree 6 on [-1/2, 1/2], minimax in
 * the relative error (Remez's algorithm in 40 digits: 1.9e-9), constant term rounded to 1 so that
 * 2^0 is exact. With float arithmetic the relative error is below 1.1e-7 over the whole range. */
INLINE vec power_of_two(vec x)
{
	const vec magic =
		(vec){0} + 0x1.8p23F; /* adding it leaves the nearest integer in the low bits */
	x = vec_select(x < -126.0F, (vec){0} - 126.0F, x);
	const vec shifted = x + magic;
	const vec f = x - (shifted - magic);
	vec p = f * 0x1.41d334p-13F + 0x1.5f456ap-10F;
	p = p * f + 0x1.3b2dbcp-7F;
	p = p * f + 0x1.c6aed4p-5F;
	p = p * f + 0x1.ebfbdap-3F;
	p = p * f + 0x1.62e430p-1F;
	p = p * f + 1.0F;
	return p * (vec)(((vec_int)shifted << 23) + (127 << 23));
}

/* Lanes that come before lane number n. */
INLINE vec_int lanes_before(int n)
{
	vec_int lane;
	REPEAT(LANES)
	for (int i = 0; i < LANES; i++)
		lane[i] = i;
	return lane < n;
}

INLINE float vec_largest(vec x, float top)
{
	REPEAT(LANES)
	for (int i = 0; i < LANES; i++)
		top = x[i] > top ? x[i] : top;
	return top;
}

INLINE float vec_total(vec x)
{
	float sum = 0;
	REPEAT(LANES)
	for (int i = 0; i < LANES; i++)
		sum += x[i];
	return sum;
}

/* The largest of `top` and the n scores; what the last vector holds beyond them becomes -inf. */
INLINE float scores_largest(float *scores, int n, float top)
{
	vec most = (vec){0} + top;
	int j = 0;
	for (; j + LANES <= n; j += LANES) {
		const vec x = vec_load(scores + j);
		most = vec_select(x > most, x, most);
	}
	if (j < n) {
		const vec x =
			vec_select(lanes_before(n - j), vec_load(scores + j), (vec){0} - INFINITY);
		vec_store(scores + j, x);
		most = vec_select(x > most, x, most);
	}
	return vec_largest(most, top);
}

/* Scores become weights 2^(score - reference); returns their sum. A key beyond the n, whose weight
 * would not be below 2^-126, is left out of it. */
INLINE float scores_weigh(float *scores, int n, float reference)
{
	vec sum = {0};
	int j = 0;
	for (; j + LANES <= n; j += LANES) {
		const vec x = power_of_two(vec_load(scores + j) - reference);
		vec_store(scores + j, x);
		sum += x;
	}
	if (j < n) {
		const vec x = power_of_two(vec_load(scores + j) - reference);
		vec_store(scores + j, x);
		sum += vec_select(lanes_before(n - j), x, (vec){0});
	}
	return vec_total(sum);
}

#endif
