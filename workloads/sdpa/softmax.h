/* The online softmax of a row of scores, in vectors. */
#ifndef ASCTUNE_SDPA_SOFTMAX_H
#define ASCTUNE_SDPA_SOFTMAX_H

#include <math.h>

#include "../cpu/exp2.h"
#include "../cpu/tile.h"

/* 2^x for x <= 0; below 2^-126 it stays at 2^-126, NaN stays NaN. */
INLINE vec softmax_weight(vec x)
{
	return vec_power_of_two(vec_most(x, vec_all(-126)));
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
		const vec x = softmax_weight(vec_load(scores + j) - reference);
		vec_store(scores + j, x);
		sum += x;
	}
	if (j < n) {
		const vec x = softmax_weight(vec_load(scores + j) - reference);
		vec_store(scores + j, x);
		sum += vec_select(lanes_before(n - j), x, (vec){0});
	}
	return vec_total(sum);
}

#endif
