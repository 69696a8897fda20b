/* Gated activation of two matrices, out = input silu(gate), silu(x) = x / (1 + exp(-x)). One call
 * takes `block` elements; rows lie `stride` elements apart. UNROLL, STREAM and PREFETCH,
 * build-stage parameters, are those of cpu/rows.h. */
#include <stdint.h>

#include "../cpu/exp2.h"

INLINE vec gated(vec input, vec gate, float unused)
{
	(void)unused;
	return input * vec_silu(gate);
}

MAP(map, element, element)

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void swiglu(const element *input, const element *gate, element *out, int64_t m, int64_t n,
	    int64_t input_stride, int64_t gate_stride, int64_t out_stride, int64_t block,
	    int64_t block_x)
{
	const bool gapless = input_stride == n && gate_stride == n && out_stride == n;
	struct walk w = walk_begin(m, n, gapless, block, block_x);
	while (walk_next(&w))
		map(gated, 0, input + walk_at(&w, input_stride), gate + walk_at(&w, gate_stride),
		    out + walk_at(&w, out_stride), w.count);
}
