/* out = silu(x a) (x b) in double, silu(z) = z / (1 + exp(-z)), sums in the order of the inner
 * dimension; one call per block of ROWS rows.
 *
 * Where the tolerances of gated_mlp.json come from. Elements of x are N(0, 1), those of a and b
 * N(0, 1 / K), so that g = x a and h = x b are N(0, 1); u = 2^-24.
 *
 * 1. The error of g, and of h, is below E = (12.8 sqrt(K) + 4) u: that of gemm/reference.c for
 *    products that are smaller by sqrt(K).
 * 2. silu grows by at most 1.1 for 1: the error of the result is below 1.1 E |h| + E |silu(g)|.
 *    That both |g| and |h| are above p has a probability of the order of exp(-p^2); of one, of
 *    exp(-p^2 / 2). With |h| and |g| below 8 that is 8.8 E + 8 E: atol is 17 E.
 * 3. silu by 1 / (1 + exp(-g)): the power of a number up to 8 has a relative error of 8 4 u, sum,
 *    quotient and products have another 16 u: rtol.
 * 4. Products of f16 and bf16 are exact in float and are added in float; the result is rounded to
 *    the type (t = 2^-11, 2^-8): twice that rounding is in rtol. Sums are not rounded in between.
 */
#include <math.h>
#include <stdint.h>

enum { ROWS = 8, COLUMNS = 64 };

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* One row of COLUMNS elements or less. */
static void make_row(const double *x, const double *a, const double *b, double *out,
		     int64_t columns, int64_t n, int64_t k)
{
	double gates[COLUMNS] = {0}, values[COLUMNS] = {0};
	for (int64_t i = 0; i < k; i++)
		for (int64_t j = 0; j < columns; j++) {
			gates[j] += x[i] * a[i * n + j];
			values[j] += x[i] * b[i * n + j];
		}
	for (int64_t j = 0; j < columns; j++)
		out[j] = gates[j] / (1 + exp(-gates[j])) * values[j];
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void gated_mlp_reference(const double *x, const double *a, const double *b, double *out, int64_t m,
			 int64_t n, int64_t k, int64_t block_x)
{
	const int64_t end = least(m, (block_x + 1) * ROWS);
	for (int64_t j = 0; j < n; j += COLUMNS)
		for (int64_t row = block_x * ROWS; row < end; row++)
			make_row(x + row * k, a + j, b + j, out + row * n + j,
				 least(COLUMNS, n - j), n, k);
}
