/* Root-mean-square normalisation of rows: out = x / sqrt(mean(x^2) + epsilon) weight. One call
 * takes `block` rows. SUMS, a build-stage parameter, is how many sums of squares go on side by
 * side, so that they fill vectors and do not wait for each other. */
#include <math.h>
#include <stdint.h>

#include "../cpu/element.h"

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

INLINE void row_scale(const element *x, const element *weight, element *out, int64_t n, float scale)
{
	for (int64_t i = 0; i < n; i++)
		element_store(out + i, element_load(x + i) * scale * element_load(weight + i));
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void rms_norm(const element *restrict x, const element *restrict weight, element *restrict out,
	      int64_t m, int64_t n, float epsilon, int64_t block, int64_t block_x)
{
	const int64_t first = block_x * block, end = first + block < m ? first + block : m;
	for (int64_t row = first; row < end; row++) {
		const float mean = row_squares(x + row * n, n) / (float)n;
		row_scale(x + row * n, weight, out + row * n, n, 1 / sqrtf(mean + epsilon));
	}
}
