/* Root-mean-square normalisation of rows: out = input / sqrt(mean(input^2) + epsilon) weight. One
 * call takes `block` rows. SUMS, a build-stage parameter, is how many sums of squares go on side by
 * side, so that they fill vectors and do not wait for each other. A token has `heads` rows one
 * after another; in_step and out_step are elements from one token to the next. In place out is
 * input. */
#include <math.h>
#include <stdint.h>

#include "../cpu/element.h"

ELEMENTS(scale, W)

INLINE float row_squares(const element *x, int64_t n)
{
	float part[SUMS] = {0}, sum = 0;
	int64_t i = 0;
	for (; i + SUMS <= n; i += SUMS)
		for (int64_t s = 0; s < SUMS; s++) {
			const float value = element_load(x + i + s);
			part[s] += value * value;
		}
	for (; i < n; i++)
		sum += element_load(x + i) * element_load(x + i);
	for (int64_t s = 0; s < SUMS; s++)
		sum += part[s];
	return sum;
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void rms_norm(const element *input, const scale *restrict weight, element *out, int64_t rows,
	      int64_t heads, int64_t n, int64_t in_step, int64_t out_step, float epsilon,
	      int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = first + block < rows ? first + block : rows;
	for (int64_t row = first; row < end; row++) {
		const element *from = input + row / heads * in_step + row % heads * n;
		element *to = out + row / heads * out_step + row % heads * n;
		const float inverse = 1 / sqrtf(row_squares(from, n) / (float)n + epsilon);
		for (int64_t i = 0; i < n; i++)
			element_store(to + i,
				      element_load(from + i) * inverse * scale_load(weight + i));
	}
}
