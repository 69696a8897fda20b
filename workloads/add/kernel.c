/* Sum of two matrices, out = input + alpha other. One call takes `block` elements; rows lie
 * `stride` elements apart. UNROLL, STREAM and PREFETCH, build-stage parameters, are those of
 * cpu/rows.h. */
#include <stdint.h>

#include "../cpu/rows.h"

INLINE vec sum(vec input, vec other, float alpha)
{
	return input + alpha * other;
}

MAP(map, element, element)

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void add(const element *input, const element *other, element *out, float alpha, int64_t m,
	 int64_t n, int64_t input_stride, int64_t other_stride, int64_t out_stride, int64_t block,
	 int64_t block_x)
{
	const bool gapless = input_stride == n && other_stride == n && out_stride == n;
	struct walk w = walk_begin(m, n, gapless, block, block_x);
	while (walk_next(&w))
		map(sum, alpha, input + walk_at(&w, input_stride),
		    other + walk_at(&w, other_stride), out + walk_at(&w, out_stride), w.count);
}
