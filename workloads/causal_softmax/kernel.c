/* Softmax of rows that see the keys 0 to K - Q + i, where i is the row's number in its matrix of Q
 * rows; the other keys have no weight. One call takes `block` rows, each read twice for the largest
 * element and the sum, and once for the result. SUMS, a build-stage parameter, is how many maxima
 * and sums go on side by side. Elements from one matrix to the next are batch_step in the input,
 * from one row to the next row_step and out_step. In place out is x. */
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
void causal_softmax(const element *x, element *out, int64_t rows, int64_t q, int64_t k,
		    int64_t batch_step, int64_t row_step, int64_t out_step, int64_t block,
		    int64_t block_x)
{
	const int64_t first = block_x * block, end = first + block < rows ? first + block : rows;
	for (int64_t row = first; row < end; row++) {
		const int64_t seen = k - q + row % q + 1;
		const element *from = x + row / q * batch_step + row % q * row_step;
		element *to = out + row * out_step;
		const float largest = row_largest(from, seen);
		const float factor = 1 / row_sum(from, seen, largest);
		for (int64_t i = 0; i < seen; i++)
			element_store(to + i, weight(from + i, largest) * factor);
		for (int64_t i = seen; i < k; i++) /* NaN where the sum is */
			element_store(to + i, 0 * factor);
	}
}
