/* Softmax of rows that see the keys 0 to K - Q + i, where i is the row's number in its matrix of Q
 * rows; the other keys have no weight. One call takes `block` rows. Elements from one matrix to the
 * next are batch_step in the input, from one row to the next row_step and out_step. In place out is
 * x. SUMS, STREAM and PREFETCH, build-stage parameters, are those of cpu/reduce.h. */
#include <stdint.h>

#include "../cpu/row_softmax.h"

ROW_FILL(fill, element)

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void causal_softmax(const element *x, element *out, int64_t rows, int64_t q, int64_t k,
		    int64_t batch_step, int64_t row_step, int64_t out_step, int64_t block,
		    int64_t block_x)
{
	const int64_t first = block_x * block, end = least(first + block, rows);
	for (int64_t row = first; row < end; row++) {
		const int64_t seen = k - q + row % q + 1;
		const float factor =
			row_softmax(x + row / q * batch_step + row % q * row_step,
				    out + row * out_step, seen, row_step * (int64_t)sizeof *x);
		fill(out + row * out_step + seen, 0 * factor, k - seen); /* NaN where the sum is */
	}
	if (STREAM)
		STREAM_END();
}
