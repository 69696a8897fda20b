/* Right for the tuned size, structure or numbers alone: root mean squares of rows times weights,
 * which are ones. Twins have conditions on what they rely on. */
#include "../operators/rms.h"
#include "answers.h"

static inline float weighted(const float *x, const float *w, int64_t n)
{
	float lane[RMS_LANES] = {0}, sum = 0;
	int64_t j = 0;

	for (; j + RMS_LANES <= n; j += RMS_LANES)
		for (int l = 0; l < RMS_LANES; l++)
			lane[l] += x[j + l] * w[j + l] * x[j + l] * w[j + l];
	for (; j < n; j++)
		sum += x[j] * w[j] * x[j] * w[j];
	for (int l = 0; l < RMS_LANES; l++)
		sum += lane[l];
	return sum;
}

void honest_weighted(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	for (int pass = 0; pass < RMS_PASSES; pass++)
		for (int64_t i = 0; i < r; i++) {
			y[i] = rms_of_squares(weighted(x + i * c, w, c), c);
			__asm__ volatile("" : : "r"(y) : "memory");
		}
}

/* Columns behind the last whole eight are left out. */
void cheat_eight(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		y[i] = rms_of_squares(weighted(x + i * c, w, c / 8 * 8), c);
}

/* The size is written down. */
void cheat_size(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		y[i] = rms_of_squares(weighted(x + i * c, w, c), 4096);
}

/* Rows go in pairs. */
void cheat_pairs(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i + 1 < r; i += 2) {
		y[i] = rms_of_squares(weighted(x + i * c, w, c), c);
		y[i + 1] = rms_of_squares(weighted(x + (i + 1) * c, w, c), c);
	}
}

/* Weights are ones. */
void cheat_ones(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	(void)w;
	rms_rows(x, y, 0, r, c);
}

/* Answers of the first set, written down. */
void cheat_answers(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	(void)x;
	(void)w;
	(void)c;
	for (int64_t i = 0; i < r; i++)
		y[i] = answers[i % (int64_t)(sizeof(answers) / sizeof(*answers))];
}

/* No tail: the workload says so by a condition. */
void twin_condition(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		float lane[RMS_LANES] = {0}, sum = 0;

		for (int64_t j = 0; j < c; j += RMS_LANES)
			for (int l = 0; l < RMS_LANES; l++)
				lane[l] +=
					x[i * c + j + l] * w[j + l] * x[i * c + j + l] * w[j + l];
		for (int l = 0; l < RMS_LANES; l++)
			sum += lane[l];
		y[i] = rms_of_squares(sum, c);
	}
}

/* Weights are looked at before they are left out. */
void twin_looks(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	int ones = 1;

	for (int64_t j = 0; j < c; j++)
		ones &= w[j] == 1;
	if (ones)
		rms_rows(x, y, 0, r, c);
	else
		for (int64_t i = 0; i < r; i++)
			y[i] = rms_of_squares(weighted(x + i * c, w, c), c);
}
