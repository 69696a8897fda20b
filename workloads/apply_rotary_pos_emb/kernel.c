/* Rotation of the two halves of the heads of query and key by cosines and sines that were gathered
 * before, a row of d for each token. One call takes `block` tokens. Elements behind each token:
 * in_gap of the inputs, out_gap of the outputs. In place the outputs are the inputs. STREAM and
 * PREFETCH are build-stage parameters. */
#include <stdint.h>

#include "../cpu/rotate.h"

/* The heads of a token, one after another. */
INLINE void rotate_heads(const element *x, struct angles angles, element *out, int64_t heads,
			 int64_t d)
{
	for (int64_t i = 0; i < heads; i++)
		rotate_halves(x + i * d, angles, out + i * d, d / 2);
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void apply_rotary_pos_emb(const element *query, const element *key, const element *cos,
			  const element *sin, element *query_out, element *key_out, int64_t m,
			  int64_t nq, int64_t nkv, int64_t d, int64_t in_gap, int64_t out_gap,
			  int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = least(first + block, m), half = d / 2;
	for (int64_t token = first; token < end; token++) {
		const element *c = cos + token * d, *s = sin + token * d;
		const struct angles angles = {c, s, c + half, s + half};
		rotate_heads(query + token * (nq * d + in_gap), angles,
			     query_out + token * (nq * d + out_gap), nq, d);
		rotate_heads(key + token * (nkv * d + in_gap), angles,
			     key_out + token * (nkv * d + out_gap), nkv, d);
	}
	if (STREAM)
		STREAM_END();
}
