/* x_out = x1 + x2, y_out = x_out / sqrt(mean(x_out^2) + epsilon) gamma in double; one call per row.
 *
 * Where the tolerances of add_rms_norm.json come from; u = 2^-24.
 *
 * 1. x_out is one sum, rounded once to float and, in f16 and bf16 (t = 2^-11, 2^-8), once more to
 *    the type. Sums of two f16 are multiples of 2^-24, so that none is lost below 2^-14.
 * 2. y_out of a float x_out has the error of rms_norm/reference.c, (2 sqrt(N) + 8) u.
 * 3. The sum is not rounded here before it is normalised. In f16 and bf16 InfiniOps' index 0 and
 *    PyTorch's own operators normalise the rounded x_out, one fused kernel may take the sum before:
 *    each element has a relative error of t, the root of the mean at most t, too. With the rounding
 *    of the result that is 3 t, for both. Below 2^-14 an f16 is rounded to a multiple of 2^-24:
 *    atol. Sums beyond 65504, of which only an f16 that is rounded is infinite, are in no problem.
 */
#include <math.h>
#include <stdint.h>

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void add_rms_norm_reference(const double *x1, const double *x2, const double *gamma, double *y_out,
			    double *x_out, int64_t n, double epsilon, int64_t block_x)
{
	double *sums = x_out + block_x * n;
	double squares = 0;
	for (int64_t i = 0; i < n; i++) {
		sums[i] = x1[block_x * n + i] + x2[block_x * n + i];
		squares += sums[i] * sums[i];
	}
	const double scale = 1 / sqrt(squares / (double)n + epsilon);
	for (int64_t i = 0; i < n; i++)
		y_out[block_x * n + i] = sums[i] * scale * gamma[i];
}
