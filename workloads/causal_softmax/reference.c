/* out = exp(x - max(x)) / sum(exp(x - max(x))) over the keys that a row sees, 0 to K - Q + i for
 * row i of Q, in double; one call per row. The others are -inf before the softmax: their weight is
 * 0, or NaN as the whole row is where no sum can be made of it, as PyTorch has it.
 *
 * Where the tolerances of causal_softmax.json come from: those of softmax/reference.c, with at most
 * K summands. For f32 they end at 2e-5, since no result is greater than 1: there InfiniOps' test
 * allows 1e-5 (1 + |out|). */
#include <math.h>
#include <stdint.h>

void causal_softmax_reference(const double *x, double *out, int64_t q, int64_t k, int64_t block_x)
{
	const int64_t seen = k - q + block_x % q + 1;
	const double *row = x + block_x * k;
	double *to = out + block_x * k;
	double top = -INFINITY, sum = 0;
	for (int64_t i = 0; i < seen; i++)
		top = row[i] > top ? row[i] : top;
	for (int64_t i = 0; i < k; i++)
		sum += to[i] = i < seen ? exp(row[i] - top) : 0;
	for (int64_t i = 0; i < k; i++)
		to[i] /= sum;
}
