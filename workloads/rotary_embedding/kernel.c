/* Rotary position embedding of the first r of the d elements of each head of query and key. One
 * call takes `block` tokens. Elements behind each token: in_gap of the inputs, out_gap of the
 * outputs. In place the outputs are the inputs. */
#include <stdbool.h>
#include <stdint.h>

#include "../cpu/element.h"

INLINE void rotate(const element *x, const element *restrict table, element *out, int64_t d,
		   int64_t r, bool neox)
{
	const int64_t half = r / 2, step = neox ? half : 1;
	for (int64_t i = 0; i < half; i++) {
		const int64_t at = neox ? i : 2 * i;
		const float a = element_load(x + at), b = element_load(x + at + step),
			    c = element_load(table + i), s = element_load(table + half + i);
		element_store(out + at, a * c - b * s);
		element_store(out + at + step, b * c + a * s);
	}
	for (int64_t i = r; i < d; i++)
		out[i] = x[i];
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void rotary_embedding(const int64_t *restrict positions, const element *query, const element *key,
		      const element *restrict cos_sin_cache, element *query_out, element *key_out,
		      int64_t m, int64_t nq, int64_t nkv, int64_t d, int64_t r, int64_t in_gap,
		      int64_t out_gap, bool neox, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = first + block < m ? first + block : m;
	for (int64_t token = first; token < end; token++) {
		const element *table = cos_sin_cache + positions[token] * r;
		for (int64_t i = token * nq; i < (token + 1) * nq; i++)
			rotate(query + token * in_gap + i * d, table,
			       query_out + token * out_gap + i * d, d, r, neox);
		for (int64_t i = token * nkv; i < (token + 1) * nkv; i++)
			rotate(key + token * in_gap + i * d, table,
			       key_out + token * out_gap + i * d, d, r, neox);
	}
}
