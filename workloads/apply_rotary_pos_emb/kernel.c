/* Rotation of the two halves of the heads of query and key by cosines and sines that were gathered
 * before, a row of d for each token. One call takes `block` tokens. Elements behind each token:
 * in_gap of the inputs, out_gap of the outputs. In place the outputs are the inputs. */
#include <stdint.h>

#include "../cpu/element.h"

INLINE void rotate(const element *x, const element *restrict cos, const element *restrict sin,
		   element *out, int64_t d)
{
	const int64_t half = d / 2;
	for (int64_t i = 0; i < half; i++) {
		const float a = element_load(x + i), b = element_load(x + i + half);
		element_store(out + i, a * element_load(cos + i) - b * element_load(sin + i));
		element_store(out + i + half,
			      b * element_load(cos + i + half) + a * element_load(sin + i + half));
	}
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void apply_rotary_pos_emb(const element *query, const element *key, const element *restrict cos,
			  const element *restrict sin, element *query_out, element *key_out,
			  int64_t m, int64_t nq, int64_t nkv, int64_t d, int64_t in_gap,
			  int64_t out_gap, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = first + block < m ? first + block : m;
	for (int64_t token = first; token < end; token++) {
		const element *c = cos + token * d, *s = sin + token * d;
		for (int64_t i = token * nq; i < (token + 1) * nq; i++)
			rotate(query + token * in_gap + i * d, c, s,
			       query_out + token * out_gap + i * d, d);
		for (int64_t i = token * nkv; i < (token + 1) * nkv; i++)
			rotate(key + token * in_gap + i * d, c, s,
			       key_out + token * out_gap + i * d, d);
	}
}
