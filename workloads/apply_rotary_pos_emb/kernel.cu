/* Rotary embedding of query and key [tokens, heads, HEAD], by cosines and sines [tokens, HEAD] of
 * all elements of a token's heads.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, STREAM (cuda/rows.h). */
#include "../cuda/rotary.h"

extern "C" __global__ void __launch_bounds__(THREADS)
	apply_rotary_pos_emb(const element *query, const element *key, const element *cosines,
			     const element *sines, element *query_out, element *key_out,
			     int tokens, int heads, int other_heads, long long stride_query,
			     long long stride_key, long long stride_query_out,
			     long long stride_key_out)
{
	const Heads<const element *> from = {query, key, stride_query, stride_key, heads};
	const Heads<element *> to = {query_out, key_out, stride_query_out, stride_key_out, heads};

	rows_rotate(
		to, from, tokens, other_heads, [](int token) { return (long long)token * HEAD; },
		[&](long long row, int pair) {
			Angles a;
			for (int second = 0; second < 2; second++) {
				const long long at = row + pack_place(pair, second);
				a.cosine[second] = pack_load<Element>(cosines + at);
				a.sine[second] = pack_load<Element>(sines + at);
			}
			return a;
		});
}
