/* Scaled-dot-product attention in double: for each query all scores, their maximum, the weights,
 * the weighted sum; one call per ROWS queries of a head.
 *
 * Where the tolerances of sdpa.json come from. Inputs are N(0, 1) as stored, scale = 1/sqrt(D), u
 * is the unit roundoff of the arithmetic, p_j the weights of one row, s_j its scores.
 *
 * 1. A dot product of length n has an error of at most g(n) sum|x_i y_i|, whatever the order of the
 *    additions, g(n) = n u / (1 - n u) (Higham, "Accuracy and Stability of Numerical Algorithms",
 *    2nd ed., 2002, section 3.1). Rounding errors being independent with mean zero, g(n) may be
 *    replaced by L sqrt(n) u with a failure probability of about 2 n exp(-L^2 / 2), still for the
 *    worst data (Higham & Mary, "A New Approach to Probabilistic Rounding Error Analysis", SIAM J.
 *    Sci. Comput. 41(5), 2019, theorem 2.4). L = 4 here: data are random too.
 * 2. Scores: sum|q_i k_i| / sqrt(D) is about (2 / pi) sqrt(D), so s_j is off by at most
 *    L sqrt(D) u (2 / pi) sqrt(D) = 0.64 L D u.
 * 3. Weights: an error of d in all scores changes p_j by a factor within exp(+-2 d), from numerator
 *    and denominator. 2^x, the subtraction of the maximum and the scale add a few u: 8 in all.
 * 4. Output: another dot product, of length S: L sqrt(S) u. Errors are relative to sum p_j |v_j|,
 *    below 1 for normal v, and where one key has all the weight those of 3 cancel. Together
 *    (2 * 0.64 L D + L sqrt(S) + 8) u = (5.1 D + 4 sqrt(S) + 8) u; u = 2^-24 for float.
 * 5. f16 and bf16 (t = 2^-11, 2^-8) are accumulated in float, so the above holds. In addition p_j
 * and the scaled q may be rounded to the type before they are multiplied: independent errors of at
 *    most t p_j |v_j|, together of the order of t sqrt(sum p_j^2). For N(0, 1) scores sum p_j^2 is
 *    E[exp(2 s)] / (S E[exp(s)]^2) = e / S; the first rows of a causal problem see few keys, there
 *    it is up to 1. The factor 6 stands for the largest of some 10^7 elements.
 * 6. rtol is the rounding of the result itself, u or t, and the division before it. */
#include <math.h>
#include <stdint.h>

enum { ROWS = 64 };

static double dot(const double *a, const double *b, int64_t n)
{
	double sum = 0;
#pragma omp simd reduction(+ : sum)
	for (int64_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Scores become weights exp(score - maximum); returns their sum. */
static double weigh(double *scores, int64_t n)
{
	double top = -INFINITY, sum = 0;
	for (int64_t j = 0; j < n; j++)
		top = scores[j] > top ? scores[j] : top;
	for (int64_t j = 0; j < n; j++)
		sum += scores[j] = exp(scores[j] - top);
	return sum;
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void sdpa_reference(const double *q, const double *k, const double *v, double *out, int64_t s,
		    int64_t d, uint8_t causal, double scale, void *scratch, int64_t thread,
		    int64_t block_x, int64_t block_y)
{
	double *scores = (double *)scratch + thread * s;
	const int64_t head = block_x * s * d, first = block_y * ROWS;
	const int64_t end = first + ROWS < s ? first + ROWS : s;
	for (int64_t i = first; i < end; i++) {
		const int64_t keys = causal ? i + 1 : s;
		double *restrict row = out + head + i * d;
		for (int64_t j = 0; j < keys; j++)
			scores[j] = scale * dot(q + head + i * d, k + head + j * d, d);
		const double sum = weigh(scores, keys);
		for (int64_t c = 0; c < d; c++)
			row[c] = 0;
		for (int64_t j = 0; j < keys; j++)
			for (int64_t c = 0; c < d; c++)
				row[c] += scores[j] / sum * v[head + j * d + c];
	}
}
