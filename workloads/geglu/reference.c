/* out = gelu(a) b in double, gelu(x) = x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715
 * x^3); one call per row.
 *
 * Where the tolerances of geglu.json come from; u = 2^-24, inputs N(0, 1), below 7 in size.
 *
 * 1. Kernels calculate x / (1 + exp(-2 u)). Its exponent, up to 2 sqrt(2 / pi) (7 + 0.044715 7^3) =
 *    35.7 in size, has four roundings: a relative error of up to 4 u, of which the power makes one
 *    of up to 35.7 4 u = 143 u where it is large against 1, and less elsewhere. The multiplication
 *    by log2(e) before a power of two adds 36 u, the power, the sum, the division and the product
 *    with b less than 12 u. rtol is 200 u.
 * 2. f16 and bf16 (t = 2^-11, 2^-8) are calculated in float; the result is rounded to the type:
 *    twice that rounding, which leaves room for a reciprocal with an error of 2^-14 in place of the
 *    quotient, in bf16.
 * 3. Libraries (PyTorch, Liger) calculate x (1 + tanh(u)) / 2. Next to -1 a float is a multiple of
 *    2^-24, so that the sum is off by up to u, the gate by up to |x| u / 2. With b that is less
 *    than 24 u: atol. Below 2^-14 an f16 is rounded to a multiple of 2^-24, too. */
#include <math.h>
#include <stdint.h>

void geglu_reference(const double *a, const double *b, double *out, int64_t n, int64_t block_x)
{
	const double root = 0.79788456080286535588; /* sqrt(2 / pi) */
	for (int64_t i = block_x * n; i < (block_x + 1) * n; i++) {
		const double power = exp(-2 * root * (a[i] + 0.044715 * a[i] * a[i] * a[i]));
		out[i] = a[i] / (1 + power) * b[i];
	}
}
