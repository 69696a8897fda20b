/* C = A B in double, sums in the order of the inner dimension; one call per block of ROWS rows.
 *
 * Where the tolerances of gemm.json come from. Elements of A and B are independent, N(0, 1), as
 * stored; u = 2^-24.
 *
 * 1. Products of float are added with one rounding each, of at most u |s_i|, s_i the sum so far
 *    (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., 2002, section 3.1), in any
 *    order; where the product is rounded by itself, that adds u |x_i y_i|, small against it.
 * 2. Rounding errors taken as independent with mean zero (Higham & Mary, "A New Approach to
 *    Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41(5), 2019), and s_i having the
 *    variance i, the error has a standard deviation of about u sqrt(1 + 2 + ... + K), u K /
 * sqrt(2).
 * 3. For an element whose sums are p times as large as expected it is p times that, and the error
 *    may be q times its standard deviation. Both at once have a probability of the order of
 *    exp(-(p^2 + q^2) / 2): below 10^-7 for p^2 + q^2 = 36, where p q is 18 at most. 18 u K /
 * sqrt(2) = 12.8 K u is the absolute tolerance, with another 4 u for products of short sums.
 * 4. Products of f16 and bf16 are exact in float and are added in float, so the above holds; the
 *    result is rounded to the type (t = 2^-11, 2^-8). rtol is twice that rounding. */
#include <stdint.h>

enum { ROWS = 8, COLUMNS = 256 };

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void multiply(const double *a, const double *b, double *c, int64_t rows, int64_t columns,
		     int64_t n, int64_t k)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t j = 0; j < columns; j++)
			c[r * n + j] = 0;
	for (int64_t i = 0; i < k; i++)
		for (int64_t r = 0; r < rows; r++) {
			const double x = a[r * k + i];
			const double *line = b + i * n;
			double *restrict sums = c + r * n;
			for (int64_t j = 0; j < columns; j++)
				sums[j] += x * line[j];
		}
}

void gemm_reference(const double *a, const double *b, double *c, int64_t m, int64_t n, int64_t k,
		    int64_t block_x)
{
	const int64_t row = block_x * ROWS, rows = least(ROWS, m - row);
	for (int64_t j = 0; j < n; j += COLUMNS)
		multiply(a + row * k, b + j, c + row * n + j, rows, least(COLUMNS, n - j), n, k);
}
