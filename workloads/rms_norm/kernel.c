/* Root-mean-square normalisation of rows: out = input / sqrt(mean(input^2) + epsilon) weight. One
 * call takes `block` rows. A token has `heads` rows one after another; in_step and out_step are
 * elements from one token to the next. In place out is input. SUMS, UNROLL, STREAM and PREFETCH,
 * build-stage parameters, are those of cpu/reduce.h. */
#include <math.h>
#include <stdint.h>

#include "../cpu/reduce.h"

ELEMENTS(scale, W)
ELEMENT_VECTORS(scale)
ROW_REDUCE(reduce, element)
ROW_MAP(map, element, scale, element)

INLINE vec square(vec a, vec b, float unused)
{
	(void)unused;
	return a * b;
}

INLINE vec scaled(vec a, vec b, vec weight, const float *inverse, vec *also)
{
	(void)b;
	(void)also;
	return a * *inverse * weight;
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void rms_norm(const element *input, const scale *weight, element *out, int64_t rows, int64_t heads,
	      int64_t n, int64_t in_step, int64_t out_step, float epsilon, int64_t block,
	      int64_t block_x)
{
	const int64_t first = block_x * block, end = least(first + block, rows);
	for (int64_t row = first; row < end; row++) {
		const element *from = input + row / heads * in_step + row % heads * n;
		element *to = out + row / heads * out_step + row % heads * n;
		const float squares = reduce(reduce_sum, square, 0, from, from, n),
			    inverse = 1 / sqrtf(squares / (float)n + epsilon);
		map(scaled, &inverse, from, from, weight, to, NULL, n,
		    in_step * (int64_t)sizeof *from);
	}
	if (STREAM)
		STREAM_END();
}
