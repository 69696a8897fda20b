/* Rotary position embedding of the first r of the d elements of each head of query and key. One
 * call takes `block` tokens. Elements behind each token: in_gap of the inputs, out_gap of the
 * outputs. In place the outputs are the inputs. STREAM and PREFETCH are build-stage parameters. */
#include <stdint.h>

#include "../cpu/rotate.h"

/* The heads of a token, one after another. */
INLINE void rotate_heads(const element *x, const element *table, element *out, int64_t heads,
			 int64_t d, int64_t r, bool neox)
{
	const int64_t half = r / 2;
	const struct angles angles = {table, table + half, table, table + half};
	for (int64_t i = 0; i < heads; i++, x += d, out += d) {
		if (neox)
			rotate_halves(x, angles, out, half);
		else
			rotate_neighbours(x, table, table + half, out, half);
		if (r < d && out != x)
			memcpy(out + r, x + r, (size_t)(d - r) * sizeof *x);
	}
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void rotary_embedding(const int64_t *positions, const element *query, const element *key,
		      const element *cos_sin_cache, element *query_out, element *key_out, int64_t m,
		      int64_t nq, int64_t nkv, int64_t d, int64_t r, int64_t in_gap,
		      int64_t out_gap, bool neox, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = least(first + block, m);
	for (int64_t token = first; token < end; token++) {
		const element *table = cos_sin_cache + positions[token] * r;
		rotate_heads(query + token * (nq * d + in_gap), table,
			     query_out + token * (nq * d + out_gap), nq, d, r, neox);
		rotate_heads(key + token * (nkv * d + in_gap), table,
			     key_out + token * (nkv * d + out_gap), nkv, d, r, neox);
	}
	if (STREAM)
		STREAM_END();
}
