/* Gated activation of the halves of rows, x = [gate | up], out = silu(gate) up, silu(x) =
 * x / (1 + exp(-x)). One call takes `block` elements of the output, whose rows have n; rows lie
 * `stride` elements apart. UNROLL, STREAM and PREFETCH, build-stage parameters, are those of
 * cpu/rows.h. */
#include <stdint.h>

#include "../cpu/exp2.h"

INLINE vec gated(vec gate, vec up, float unused)
{
	(void)unused;
	return vec_silu(gate) * up;
}

MAP(map, element, element)

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void silu_and_mul(const element *x, element *out, int64_t m, int64_t n, int64_t x_stride,
		  int64_t out_stride, int64_t block, int64_t block_x)
{
	struct walk w = walk_begin(m, n, false, block, block_x);
	while (walk_next(&w)) {
		const element *gate = x + walk_at(&w, x_stride);
		map(gated, 0, gate, gate + n, out + walk_at(&w, out_stride), w.count);
	}
}
