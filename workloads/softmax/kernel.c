/* Softmax of rows: out = exp(x - max(x)) / sum(exp(x - max(x))). One call takes `block` rows, each
 * read twice for the largest element and the sum, and once for the result. SUMS, a build-stage
 * parameter, is how many maxima and sums go on side by side, so that they fill vectors and do not
 * wait for each other. */
#include <math.h>
#include <stdint.h>

#include "../cpu/element.h"
#include "../cpu/exp2.h"

INLINE float row_largest(const element *x, int64_t n)
{
	float part[SUMS], most = -INFINITY;
	int64_t i = 0;
	for (int64_t s = 0; s < SUMS; s++)
		part[s] = -INFINITY;
	for (; i + SUMS <= n; i += SUMS)
		for (int64_t s = 0; s < SUMS; s++) {
			const float value = element_load(x + i + s);
			part[s] = value > part[s] ? value : part[s];
		}
	for (; i < n; i++)
		most = element_load(x + i) > most ? element_load(x + i) : most;
	for (int64_t s = 0; s < SUMS; s++)
		most = part[s] > most ? part[s] : most;
	return most;
}

/* 2^x for x <= 0; below 2^-126 it is 0. */
INLINE float small_power_of_two(float x)
{
	const float y = power_of_two(x < -126.0F ? -126.0F : x);
	return x < -126.0F ? 0 : y;
}

INLINE float weight(const element *x, float largest)
{
	return small_power_of_two((element_load(x) - largest) * 1.44269504F);
}

INLINE float row_sum(const element *x, int64_t n, float largest)
{
	float part[SUMS] = {0}, sum = 0;
	int64_t i = 0;
	for (; i + SUMS <= n; i += SUMS)
		for (int64_t s = 0; s < SUMS; s++)
			part[s] += weight(x + i + s, largest);
	for (; i < n; i++)
		sum += weight(x + i, largest);
	for (int64_t s = 0; s < SUMS; s++)
		sum += part[s];
	return sum;
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void softmax(const element *restrict x, element *restrict out, int64_t m, int64_t n, int64_t block,
	     int64_t block_x)
{
	const int64_t first = block_x * block, end = first + block < m ? first + block : m;
	for (int64_t row = first; row < end; row++) {
		const element *from = x + row * n;
		const float largest = row_largest(from, n);
		const float factor = 1 / row_sum(from, n, largest);
		for (int64_t i = 0; i < n; i++)
			element_store(out + row * n + i, weight(from + i, largest) * factor);
	}
}
