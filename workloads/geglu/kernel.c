/* Gated activation of two matrices, out = gelu(a) b, gelu(x) = x (1 + tanh(u)) / 2 with u =
 * sqrt(2 / pi) (x + 0.044715 x^3). One call takes `block` elements; rows lie `stride` elements
 * apart. UNROLL, STREAM and PREFETCH, build-stage parameters, are those of cpu/rows.h. */
#include <stdint.h>

#include "../cpu/exp2.h"

/* x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u)) */
INLINE vec gated(vec a, vec b, float unused)
{
	(void)unused;
	const vec exponent =
		-2.3022082F * (a + 0.044715F * a * a * a); /* -2 sqrt(2 / pi) log2(e) */
	return vec_quotient(a, 1 + vec_power_of_two(exponent)) * b;
}

MAP(map, element, element)

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void geglu(const element *a, const element *b, element *out, int64_t m, int64_t n, int64_t a_stride,
	   int64_t b_stride, int64_t out_stride, int64_t block, int64_t block_x)
{
	const bool gapless = a_stride == n && b_stride == n && out_stride == n;
	struct walk w = walk_begin(m, n, gapless, block, block_x);
	while (walk_next(&w))
		map(gated, 0, a + walk_at(&w, a_stride), b + walk_at(&w, b_stride),
		    out + walk_at(&w, out_stride), w.count);
}
