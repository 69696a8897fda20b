/* out = input / sqrt(mean(input^2) + epsilon) weight in double; one call per row.
 *
 * Where the tolerances of rms_norm.json come from; u = 2^-24.
 *
 * 1. All squares are positive: rounding errors being independent with mean zero, their sum has a
 *    relative error of at most 4 sqrt(N) u, whatever the order of the additions (Higham & Mary, "A
 *    New Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41(5), 2019,
 *    theorem 2.4; see also sdpa/reference.c), and the root of it half of that.
 * 2. Squares, division, epsilon, root, its inverse (2 ulp on a GPU) and two products add less than
 *    8 u. rtol is (2 sqrt(N) + 8) u, without an absolute part.
 * 3. f16 and bf16 (t = 2^-11, 2^-8) are calculated in float; the result is rounded to the type:
 *    twice that rounding. Below 2^-14 an f16 is rounded to a multiple of 2^-24: atol. */
#include <math.h>
#include <stdint.h>

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void rms_norm_reference(const double *input, const double *weight, double *out, int64_t n,
			double epsilon, int64_t block_x)
{
	const double *row = input + block_x * n;
	double sum = 0;
	for (int64_t i = 0; i < n; i++)
		sum += row[i] * row[i];
	const double scale = 1 / sqrt(sum / (double)n + epsilon);
	for (int64_t i = 0; i < n; i++)
		out[block_x * n + i] = row[i] * scale * weight[i];
}
