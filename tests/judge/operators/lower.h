/* Each row i of x[n, n] up to column i, divided by its root mean square; zeros behind: in C. */
#ifndef ASCTUNE_JUDGE_LOWER_H
#define ASCTUNE_JUDGE_LOWER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { LOWER_PASSES = 6 };

static inline float lower_scale(const float *x, int64_t i, int64_t step)
{
	float lane[16] = {0}, sum = 0;
	int64_t j = 0, count = 0;

	if (step == 1)
		for (; j + 16 <= i + 1; j += 16, count += 16)
			for (int l = 0; l < 16; l++)
				lane[l] += x[j + l] * x[j + l];
	for (; j <= i; j += step, count++)
		sum += x[j] * x[j];
	for (int l = 0; l < 16; l++)
		sum += lane[l];
	return 1 / sqrtf(sum / (float)count + 1e-6f);
}

static inline void lower_row(const float *x, float *y, int64_t i, float scale)
{
	for (int64_t j = 0; j <= i; j++)
		y[j] = x[j] * scale;
}

/* The whole square, several times, with a condition at each element. */
static inline void lower_slow(const float *x, float *y, int64_t n)
{
	for (int pass = 0; pass < LOWER_PASSES; pass++) {
		for (int64_t i = 0; i < n; i++) {
			const float scale = lower_scale(x + i * n, i, 1);

			for (int64_t j = 0; j < n; j++)
				y[i * n + j] = j <= i ? x[i * n + j] * scale : 0;
		}
		__asm__ volatile("" : : "r"(x), "r"(y) : "memory");
	}
}

/* Half of the work: what lies above the diagonal is zero without being read. */
static inline void lower_half(const float *x, float *y, int64_t first, int64_t end, int64_t n)
{
	for (int64_t i = first; i < end; i++) {
		lower_row(x + i * n, y + i * n, i, lower_scale(x + i * n, i, 1));
		memset(y + i * n + i + 1, 0, (size_t)(n - i - 1) * sizeof(*y));
	}
}

void honest(const float *x, float *y, int64_t n);
void honest(const float *x, float *y, int64_t n)
{
	lower_slow(x, y, n);
}

#endif
