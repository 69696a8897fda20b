/* Sum of two tensors and the root-mean-square normalisation of its rows: x_out = x1 + x2, rounded
 * to the type, and y_out = x_out / sqrt(mean(x_out^2) + epsilon) gamma. One call takes `block`
 * rows; SUMS, a build-stage parameter, is how many sums of squares go on side by side. A token has
 * `heads` rows one after another; in_step and out_step are elements from one token to the next. In
 * place y_out is x1 and x_out is x2. */
#include <math.h>
#include <stdint.h>

#include "../cpu/element.h"

ELEMENTS(weight, W)

INLINE float row_add(const element *x1, const element *x2, element *out, int64_t n)
{
	float part[SUMS] = {0}, squares = 0;
	int64_t i = 0;
	for (; i + SUMS <= n; i += SUMS)
		for (int64_t s = 0; s < SUMS; s++) {
			element_store(out + i + s,
				      element_load(x1 + i + s) + element_load(x2 + i + s));
			const float sum = element_load(out + i + s);
			part[s] += sum * sum;
		}
	for (; i < n; i++) {
		element_store(out + i, element_load(x1 + i) + element_load(x2 + i));
		squares += element_load(out + i) * element_load(out + i);
	}
	for (int64_t s = 0; s < SUMS; s++)
		squares += part[s];
	return squares;
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void add_rms_norm(const element *x1, const element *x2, const weight *restrict gamma,
		  element *y_out, element *x_out, int64_t rows, int64_t heads, int64_t n,
		  int64_t in_step, int64_t out_step, float epsilon, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = first + block < rows ? first + block : rows;
	for (int64_t row = first; row < end; row++) {
		const int64_t in = row / heads * in_step + row % heads * n,
			      out = row / heads * out_step + row % heads * n;
		const float mean = row_add(x1 + in, x2 + in, x_out + out, n) / (float)n,
			    scale = 1 / sqrtf(mean + epsilon);
		for (int64_t i = 0; i < n; i++)
			element_store(y_out + out + i, element_load(x_out + out + i) * scale *
							       weight_load(gamma + i));
	}
}
