/* Softmax of rows: out = exp(x - max(x)) / sum(exp(x - max(x))). One call takes `block` rows, each
 * read twice for the largest element and the sum, and once for the result. SUMS, a build-stage
 * parameter, is how many maxima and sums go on side by side, so that they fill vectors and do not
 * wait for each other. */
#include <math.h>
#include <stdint.h>

#include "../cpu/element.h"

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

/* 2^x for x <= 0; below 2^-126 it is 0.
 *
 * x = n + f with n the nearest integer; 2^f is the polynomial of sdpa/softmax.h, with a relative
 * error below 1.1e-7 in float arithmetic. */
INLINE float power_of_two(float x)
{
	const float magic = 0x1.8p23F; /* adding it leaves the nearest integer in the low bits */
	const float bounded = x < -126.0F ? -126.0F : x;
	const float shifted = bounded + magic, f = bounded - (shifted - magic);
	float p = f * 0x1.41d334p-13F + 0x1.5f456ap-10F;
	p = p * f + 0x1.3b2dbcp-7F;
	p = p * f + 0x1.c6aed4p-5F;
	p = p * f + 0x1.ebfbdap-3F;
	p = p * f + 0x1.62e430p-1F;
	p = p * f + 1.0F;
	const float y = p * bits_float((float_bits(shifted) << 23) + (127U << 23));
	return x < -126.0F ? 0 : y;
}

INLINE float weight(const element *x, float largest)
{
	return power_of_two((element_load(x) - largest) * 1.44269504F);
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
