/* Sum of two tensors and the root-mean-square normalisation of its rows: x_out = x1 + x2, rounded
 * to the type, and y_out = x_out / sqrt(mean(x_out^2) + epsilon) gamma. One call takes `block`
 * rows. A token has `heads` rows one after another; in_step and out_step are elements from one
 * token to the next. In place y_out is x1 and x_out is x2. The sum is calculated twice, since x1
 * and x2 are still cached then. SUMS, UNROLL, STREAM and PREFETCH, build-stage parameters, are
 * those of cpu/reduce.h. */
#include <math.h>
#include <stdint.h>

#include "../cpu/reduce.h"

ELEMENTS(scale, W)
ELEMENT_VECTORS(scale)
ROW_REDUCE(reduce, element)
ROW_MAP(map, element, scale, element)

INLINE vec square_of_sum(vec a, vec b, float unused)
{
	(void)unused;
	const vec sum = vec_round(element_type, a + b);
	return sum * sum;
}

INLINE vec sum_scaled(vec a, vec b, vec gamma, const float *inverse, vec *sum)
{
	*sum = vec_round(element_type, a + b);
	return *sum * *inverse * gamma;
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void add_rms_norm(const element *x1, const element *x2, const scale *gamma, element *y_out,
		  element *x_out, int64_t rows, int64_t heads, int64_t n, int64_t in_step,
		  int64_t out_step, float epsilon, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = least(first + block, rows);
	for (int64_t row = first; row < end; row++) {
		const int64_t in = row / heads * in_step + row % heads * n,
			      out = row / heads * out_step + row % heads * n;
		const float squares = reduce(reduce_sum, square_of_sum, 0, x1 + in, x2 + in, n),
			    inverse = 1 / sqrtf(squares / (float)n + epsilon);
		map(sum_scaled, &inverse, x1 + in, x2 + in, gamma, y_out + out, x_out + out, n,
		    in_step * (int64_t)sizeof *x1);
	}
	if (STREAM)
		STREAM_END();
}
