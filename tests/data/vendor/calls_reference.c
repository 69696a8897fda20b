/* References of workloads whose implementations are calls of CANN's operators. Every tensor is an
 * array of its own, one element after another. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Row i of Q sees the keys 0 to K - Q + i. */
void causal_softmax(const double *input, double *out, int64_t b, int64_t q, int64_t k)
{
	for (int64_t row = 0; row < b * q; row++) {
		const int64_t seen = k - q + row % q + 1;
		double sum = 0;

		for (int64_t i = 0; i < seen; i++)
			sum += exp(input[row * k + i]);
		for (int64_t i = 0; i < k; i++)
			out[row * k + i] = i < seen ? exp(input[row * k + i]) / sum : 0;
	}
}

/* Rotates the first R elements of each head by the row of its token's position: cosines, then
 * sines. */
static void rotate(const double *x, const double *row, double *out, int64_t d, int64_t r, bool neox)
{
	for (int64_t i = 0; i < d; i++) {
		const int64_t half = r / 2, pair = neox ? i % half : i / 2;
		const bool first = neox ? i < half : i % 2 == 0;
		const double other = i >= r  ? 0
				     : first ? -x[neox ? i + half : i + 1]
					     : x[neox ? i - half : i - 1];

		out[i] = i < r ? x[i] * row[pair] + other * row[half + pair] : x[i];
	}
}

void rotary_embedding(const double *positions, const double *query, const double *key,
		      const double *cache, double *query_out, double *key_out, int64_t m,
		      int64_t nq, int64_t nkv, int64_t d, int64_t r, bool neox)
{
	for (int64_t t = 0; t < m; t++) {
		const double *row = cache + (int64_t)positions[t] * r;

		for (int64_t h = 0; h < nq; h++)
			rotate(query + (t * nq + h) * d, row, query_out + (t * nq + h) * d, d, r,
			       neox);
		for (int64_t h = 0; h < nkv; h++)
			rotate(key + (t * nkv + h) * d, row, key_out + (t * nkv + h) * d, d, r,
			       neox);
	}
}

/* The two halves of one cache; a negative slot is padding. */
void reshape_and_cache(const double *key, const double *value, const double *slots, double *keys,
		       double *values, int64_t m, int64_t n)
{
	for (int64_t t = 0; t < m; t++)
		for (int64_t i = 0; i < n && slots[t] >= 0; i++) {
			keys[(int64_t)slots[t] * n + i] = key[t * n + i];
			values[(int64_t)slots[t] * n + i] = value[t * n + i];
		}
}

/* c += a b^T, of B batches. */
void gemm(const double *a, const double *b, double *c, int64_t batches, int64_t m, int64_t n,
	  int64_t k)
{
	for (int64_t row = 0; row < batches * m; row++)
		for (int64_t j = 0; j < n; j++)
			for (int64_t i = 0; i < k; i++)
				c[row * n + j] += a[row * k + i] * b[(row / m * n + j) * k + i];
}
