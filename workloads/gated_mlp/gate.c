/* What follows two matrix products, out = silu(gates) values, element by element. One call takes
 * `block` elements of `count`. UNROLL, a build-stage parameter, is that of cpu/rows.h. */
#include <stdint.h>

#include "../cpu/exp2.h"

#define DTYPE_SUMS DTYPE_f32
#define CTYPE_SUMS float
ELEMENTS(product, SUMS)
ELEMENT_VECTORS(product)

INLINE vec gated(vec gates, vec values, float unused)
{
	(void)unused;
	return vec_silu(gates) * values;
}

MAP(map, product, element)

void gate(const float *gates, const float *values, element *out, int64_t count, int64_t block,
	  int64_t block_x)
{
	struct walk w = walk_begin(1, count, true, block, block_x);
	while (walk_next(&w))
		map(gated, 0, gates + w.column, values + w.column, out + w.column, w.count);
}
