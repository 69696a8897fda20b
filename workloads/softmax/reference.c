/* out = exp(x - max(x)) / sum(exp(x - max(x))) in double; one call per row.
 *
 * Where the tolerances of softmax.json come from; u = 2^-24.
 *
 * 1. All summands are positive: rounding errors being independent with mean zero, their sum has a
 *    relative error of at most 4 sqrt(N) u, whatever the order of the additions (Higham & Mary, "A
 *    New Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41(5), 2019,
 *    theorem 2.4; see also sdpa/reference.c).
 * 2. x - max(x) is rounded once and multiplied by log2(e): two roundings of a number up to 2^5 for
 *    inputs N(0, 2), of which the power makes an error of 2^5 2 u log(2) = 45 u, in numerator and
 *    denominator; the power itself is good to 2 u (2^-22 on a GPU: PTX ISA, ex2.approx.f32). 128 u
 *    together with the division.
 * 3. f16 and bf16 (t = 2^-11, 2^-8) are calculated in float; the result is rounded to the type:
 *    twice that rounding. Small results are multiples of 2^-24 in f16, and may be 0 below 2^-126
 *    elsewhere: atol. */
#include <math.h>
#include <stdint.h>

void softmax_reference(const double *x, double *out, int64_t n, int64_t block_x)
{
	const double *row = x + block_x * n;
	double *to = out + block_x * n;
	double top = -INFINITY, sum = 0;
	for (int64_t i = 0; i < n; i++)
		top = row[i] > top ? row[i] : top;
	for (int64_t i = 0; i < n; i++)
		sum += to[i] = exp(row[i] - top);
	for (int64_t i = 0; i < n; i++)
		to[i] /= sum;
}
