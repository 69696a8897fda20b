/* Rotary position embedding of the heads of a token's query and key in double; one call per token.
 *
 * Where the tolerances of rotary_embedding.json and apply_rotary_pos_emb.json come from; u = 2^-24,
 * inputs N(0, 1), below 7 in size, cosines and sines in [-1, 1).
 *
 * 1. x cos - y sin has the roundings of two products, 7 u each, which remain where the two cancel:
 *    atol is 2^-19, 32 u. The sum's own rounding is rtol, u.
 * 2. f16 and bf16 (t = 2^-11, 2^-8) are calculated in float; the result is rounded to the type:
 *    twice that rounding. What is below 2^-14 in f16 is covered by atol. */
#include <stdbool.h>
#include <stdint.h>

static void rotate(const double *x, const double *table, double *out, int64_t d, int64_t r,
		   bool neox)
{
	const int64_t half = r / 2, step = neox ? half : 1;
	for (int64_t i = 0; i < half; i++) {
		const int64_t at = neox ? i : 2 * i;
		const double a = x[at], b = x[at + step], c = table[i], s = table[half + i];
		out[at] = a * c - b * s;
		out[at + step] = b * c + a * s;
	}
	for (int64_t i = r; i < d; i++)
		out[i] = x[i];
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void rotary_embedding_reference(const double *positions, const double *query, const double *key,
				const double *cos_sin_cache, double *query_out, double *key_out,
				int64_t nq, int64_t nkv, int64_t d, int64_t r, bool neox,
				int64_t block_x)
{
	const double *table = cos_sin_cache + (int64_t)positions[block_x] * r;
	for (int64_t i = block_x * nq; i < (block_x + 1) * nq; i++)
		rotate(query + i * d, table, query_out + i * d, d, r, neox);
	for (int64_t i = block_x * nkv; i < (block_x + 1) * nkv; i++)
		rotate(key + i * d, table, key_out + i * d, d, r, neox);
}
