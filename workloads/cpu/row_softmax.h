/* Softmax of one row in CPU kernels. */
#ifndef ASCTUNE_CPU_ROW_SOFTMAX_H
#define ASCTUNE_CPU_ROW_SOFTMAX_H

#include "exp2.h"
#include "reduce.h"

enum { KEPT = 16384 /* weights of a row that are not calculated twice: 64 KiB of stack */ };

ROW_REDUCE(row_reduce, element)

INLINE vec row_element(vec a, vec b, float unused)
{
	(void)b;
	(void)unused;
	return a;
}

/* exp(x - largest) */
INLINE vec row_weight(vec x, float largest)
{
	return vec_power_of_two((x - largest) * 1.44269504F);
}

INLINE struct pair row_weights(const element *x, float largest)
{
	const struct pair a = element_pair_load(x, true);
	return (struct pair){row_weight(a.first, largest), row_weight(a.second, largest)};
}

INLINE void row_scale(element *out, struct pair weights, float factor, bool stream)
{
	const struct pair shares = {weights.first * factor, weights.second * factor};
	element_pair_store(out, shares, true, stream);
}

/* Sets out, which may be x, to exp(x - max(x)) / sum(exp(x - max(x))), and returns 1 / sum: NaN for
 * a row with NaN, with infinity, or of -infinity alone, as all its results are. What lies `ahead`
 * bytes behind x is fetched with PREFETCH. */
INLINE float row_softmax(const element *x, element *out, int64_t n, int64_t ahead)
{
	enum { PAIR = 2 * LANES };
	struct pair kept[KEPT / PAIR], sum = {{0}, {0}};
	const int64_t pairs = n / PAIR, begin = pairs * PAIR, known = least(pairs, KEPT / PAIR);
	const bool stream = STREAM && (uintptr_t)out % VECTOR_BYTES == 0;
	const float largest = row_reduce(reduce_most, row_element, 0, x, x, n);
	for (int64_t i = 0; i < known; i++) {
		row_prefetch(x + i * PAIR, ahead, PAIR * sizeof *x);
		kept[i] = row_weights(x + i * PAIR, largest);
		sum.first += kept[i].first;
		sum.second += kept[i].second;
	}
	for (int64_t i = known; i < pairs; i++) {
		const struct pair weights = row_weights(x + i * PAIR, largest);
		sum.first += weights.first;
		sum.second += weights.second;
	}
	for (int64_t i = begin; i < n; i += LANES) {
		const int64_t few = least(LANES, n - i);
		const vec part = element_vec_load_part(x + i, few);
		sum.first += vec_first(row_weight(part, largest), 0, few);
	}
	const float factor = 1 / vec_reduce(reduce_sum, sum.first + sum.second);
	for (int64_t i = 0; i < known; i++)
		row_scale(out + i * PAIR, kept[i], factor, stream);
	for (int64_t i = known; i < pairs; i++)
		row_scale(out + i * PAIR, row_weights(x + i * PAIR, largest), factor, stream);
	for (int64_t i = begin; i < n; i += LANES) {
		const int64_t few = least(LANES, n - i);
		const vec part = element_vec_load_part(x + i, few);
		element_vec_store_part(out + i, row_weight(part, largest) * factor, few);
	}
	return factor;
}

#endif
