/* out = silu(gate) up in double, x = [gate | up], silu(x) = x / (1 + exp(-x)); one call per row.
 *
 * Where the tolerances of silu_and_mul.json come from; u = 2^-24, inputs N(0, 1), below 9 in size.
 *
 * 1. Kernels calculate x / (1 + exp(-x)). The exponent -x log2(e) is rounded, and so is the
 *    constant (0.2 u): a relative error of 1.2 u, of which the power makes one of up to 9 1.2 u =
 *    11 u where it is large against 1, and less elsewhere. The power is good to 4 u (2^-22 on a
 *    GPU: PTX ISA, ex2.approx.f32), the sum to u, the quotient to 4 u (2 ulp: div.full.f32) and
 *    the product to u. rtol is 21 u.
 * 2. f16 and bf16 (t = 2^-11, 2^-8) are calculated in float; the result is rounded to the type:
 *    twice that rounding, which also covers that of silu(x) to the type where it is a kernel of its
 *    own, or a reciprocal with an error of 2^-14 in place of the quotient, in bf16.
 * 3. A silu(x) below 2^-14 in f16 is a multiple of 2^-24, so that its product with up to 9 is off
 *    by up to 4.5 2^-24, and rounded in turn: atol, 5 2^-24. */
#include <math.h>
#include <stdint.h>

void silu_and_mul_reference(const double *x, double *out, int64_t n, int64_t block_x)
{
	const double *gate = x + block_x * 2 * n, *up = gate + n;
	for (int64_t i = 0; i < n; i++)
		out[block_x * n + i] = gate[i] / (1 + exp(-gate[i])) * up[i];
}
