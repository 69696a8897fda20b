/* Softmax of rows: out = exp(x - max(x)) / sum(exp(x - max(x))). One call takes `block` rows, each
 * read for the largest element, the sum and the result. SUMS, STREAM and PREFETCH, build-stage
 * parameters, are those of cpu/reduce.h. */
#include <stdint.h>

#include "../cpu/row_softmax.h"

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void softmax(const element *x, element *out, int64_t m, int64_t n, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = least(first + block, m);
	for (int64_t row = first; row < end; row++)
		(void)row_softmax(x + row * n, out + row * n, n, n * (int64_t)sizeof *x);
	if (STREAM)
		STREAM_END();
}
