/* Softmax of a row, compiled for several processors from one source, with optimisation and
 * contraction to fused operations in every build (CMakeLists.txt): a baseline must not be slow for
 * want of a flag. */
#include "tuner/device/vendor/openblas.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 16 };

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef uint32_t bits __attribute__((vector_size(LANES * sizeof(uint32_t))));

/* Vectors are passed by address: passed by value, their convention would depend on the processor.
 */
INLINE void keep_larger(lanes *a, const lanes *b)
{
	bits larger = (bits)(*b > *a);

	*a = (lanes)(((bits)*b & larger) | ((bits)*a & ~larger));
}

/* 2^x for x <= 0: x is split into an integer, found by adding 3 * 2^22, and a rest in [-1/2, 1/2],
 * whose power is the Taylor series of e^(x ln 2) to the seventh power, with an error below 2^-27.
 */
INLINE void exp2_lanes(lanes *x)
{
	static const float term[] = {
		1.0F,           0x1.62e430p-1F,  0x1.ebfbe0p-3F,  0x1.c6b08ep-5F,
		0x1.3b2ab6p-7F, 0x1.5d87fep-10F, 0x1.430912p-13F, 0x1.ffcbfcp-17F};
	const lanes lowest = {0}, least = lowest - 126.0F;
	lanes sum = lowest + term[7];

	keep_larger(x, &least);
	lanes shifted = *x + 0x1.8p23F;
	lanes rest = *x - (shifted - 0x1.8p23F);
	for (int i = 6; i >= 0; i--)
		sum = sum * rest + term[i];
	*x = (lanes)((bits)sum + ((bits)shifted << 23));
}

INLINE float largest(const float *row, int64_t n)
{
	lanes most = (lanes){0} + row[0], x;
	float all[LANES], max = row[0];
	int64_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		memcpy(&x, row + i, sizeof x);
		keep_larger(&most, &x);
	}
	memcpy(all, &most, sizeof all);
	for (int k = 0; k < LANES; k++)
		max = all[k] > max ? all[k] : max;
	for (; i < n; i++)
		max = row[i] > max ? row[i] : max;
	return max;
}

/* Sums the first `n` lanes. */
INLINE void weigh(float *row, int64_t n, float max, lanes *sum)
{
	float padded[LANES] = {0};
	lanes x;

	memcpy(padded, row, (size_t)n * sizeof *row);
	memcpy(&x, padded, sizeof x);
	x -= max;
	exp2_lanes(&x);
	memcpy(padded, &x, sizeof x);
	memset(padded + n, 0, (size_t)(LANES - n) * sizeof *row);
	memcpy(&x, padded, sizeof x);
	*sum += x;
	memcpy(row, padded, (size_t)n * sizeof *row);
}

INLINE float softmax_row(float *row, int64_t n, int64_t visible)
{
	float max = largest(row, visible), all[LANES], total = 0;
	lanes sum = {0}, x;
	int64_t i = 0;

	for (; i + LANES <= visible; i += LANES) {
		memcpy(&x, row + i, sizeof x);
		x -= max;
		exp2_lanes(&x);
		sum += x;
		memcpy(row + i, &x, sizeof x);
	}
	/* The rest of a row that is no whole number of vectors. */
	if (i < visible)
		weigh(row + i, visible - i, max, &sum);
	memset(row + visible, 0, (size_t)(n - visible) * sizeof *row);
	memcpy(all, &sum, sizeof all);
	for (int k = 0; k < LANES; k++)
		total += all[k];
	return total;
}

static float softmax_row_plain(float *row, int64_t n, int64_t visible)
{
	return softmax_row(row, n, visible);
}

#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static float softmax_row_avx2(float *row, int64_t n,
								  int64_t visible)
{
	return softmax_row(row, n, visible);
}

__attribute__((target("avx512f,avx2,fma"))) static float softmax_row_avx512(float *row, int64_t n,
									    int64_t visible)
{
	return softmax_row(row, n, visible);
}

softmax_row_fn *softmax_row_choose(void)
{
	if (__builtin_cpu_supports("avx512f"))
		return softmax_row_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return softmax_row_avx2;
	return softmax_row_plain;
}
#else
softmax_row_fn *softmax_row_choose(void)
{
	return softmax_row_plain;
}
#endif
