/* Rotation of the two halves of the heads of a token's query and key by its rows of cosines and
 * sines in double; one call per token. Tolerances: rotary_embedding/reference.c. */
#include <stdint.h>

static void rotate(const double *x, const double *cos, const double *sin, double *out, int64_t d)
{
	const int64_t half = d / 2;
	for (int64_t i = 0; i < half; i++) {
		const double a = x[i], b = x[i + half];
		out[i] = a * cos[i] - b * sin[i];
		out[i + half] = b * cos[i + half] + a * sin[i + half];
	}
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void apply_rotary_pos_emb_reference(const double *query, const double *key, const double *cos,
				    const double *sin, double *query_out, double *key_out,
				    int64_t nq, int64_t nkv, int64_t d, int64_t block_x)
{
	const double *c = cos + block_x * d, *s = sin + block_x * d;
	for (int64_t i = block_x * nq; i < (block_x + 1) * nq; i++)
		rotate(query + i * d, c, s, query_out + i * d, d);
	for (int64_t i = block_x * nkv; i < (block_x + 1) * nkv; i++)
		rotate(key + i * d, c, s, key_out + i * d, d);
}
