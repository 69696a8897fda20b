/* Up to four matrices side by side, out = [input0 | input1 | input2 | input3]: along another axis
 * than the last, a row has all elements from that axis on. One call takes `block` elements of the
 * output; rows of the inputs have `gap` elements between them. An absent input has no columns.
 * STREAM, a build-stage parameter, is that of cpu/rows.h. */
#include <stdint.h>

#include "../cpu/rows.h"

enum { INPUTS = 4 };

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void cat(const element *input0, const element *input1, const element *input2, const element *input3,
	 element *out, int64_t m, int64_t n0, int64_t n1, int64_t n2, int64_t n3, int64_t gap,
	 int64_t out_stride, int64_t block, int64_t block_x)
{
	const element *const inputs[INPUTS] = {input0, input1, input2, input3};
	const int64_t columns[INPUTS] = {n0, n1, n2, n3};
	struct walk w = walk_begin(m, n0 + n1 + n2 + n3, false, block, block_x);
	while (walk_next(&w)) {
		int64_t at = w.column, left = w.count, begin = 0;
		for (int i = 0; left > 0; begin += columns[i++]) {
			const int64_t count = least(begin + columns[i] - at, left);
			if (count <= 0)
				continue;
			bytes_copy(out + w.row * out_stride + at,
				   inputs[i] + w.row * (columns[i] + gap) + at - begin,
				   count * (int64_t)sizeof(element));
			at += count;
			left -= count;
		}
	}
}
