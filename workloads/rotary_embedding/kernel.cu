/* Rotary embedding of query and key [tokens, heads, HEAD], by a table whose row for a position has
 * ROTARY / 2 cosines and as many sines.
 *
 * Parameters: THREADS, LANES, VECTOR, ITEMS, STREAM (cuda/rows.h). */
#include "../cuda/rotary.h"

extern "C" __global__ void __launch_bounds__(THREADS)
	rotary_embedding(const long long *positions, const element *query, const element *key,
			 const element *table, element *query_out, element *key_out,
			 int tokens, int heads, int other_heads, long long stride_query,
			 long long stride_key, long long stride_query_out, long long stride_key_out)
{
	const Heads<const element *> from = {query, key, stride_query, stride_key, heads};
	const Heads<element *> to = {query_out, key_out, stride_query_out, stride_key_out, heads};

	rows_rotate(
		to, from, tokens, other_heads,
		[&](int token) { return table + positions[token] * ROTARY; },
		[](const element *row, int pair) {
			const Pack<Element> cosine = pack_load<Element>(row + pair);
			const Pack<Element> sine = pack_load<Element>(row + pair + kHalf);
			return Angles{{cosine, cosine}, {sine, sine}};
		});
}
