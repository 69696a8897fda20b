/* Conversion of a matrix from the type T to the type U, rounded to the nearest number, ties to
 * even. One call takes `block` elements; rows lie `stride` elements apart. UNROLL, STREAM and
 * PREFETCH, build-stage parameters, are those of cpu/rows.h. */
#include <stdint.h>

#include "../cpu/rows.h"

ELEMENTS(result, U)
ELEMENT_VECTORS(result)

INLINE vec same(vec input, vec unused, float neither)
{
	(void)unused;
	(void)neither;
	return input;
}

MAP(map, element, result)

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void cast(const element *input, result *out, int64_t m, int64_t n, int64_t input_stride,
	  int64_t out_stride, int64_t block, int64_t block_x)
{
	const bool gapless = input_stride == n && out_stride == n;
	struct walk w = walk_begin(m, n, gapless, block, block_x);
	while (walk_next(&w)) {
		const element *from = input + walk_at(&w, input_stride);
		map(same, 0, from, from, out + walk_at(&w, out_stride), w.count);
	}
}
