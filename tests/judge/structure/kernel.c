/* Right for the tuned size, structure or numbers alone: the largest product of each row with
 * weights, which are ones in the first set. Twins have conditions on what they rely on. */
#include <math.h>
#include <stdint.h>

#include "answers.h"

enum { LANES = 16, PASSES = 12 };

static inline float most_of(const float *x, const float *w, int64_t n)
{
	float lane[LANES], most = -INFINITY;
	int64_t j = 0;

	for (int l = 0; l < LANES; l++)
		lane[l] = -INFINITY;
	for (; j + LANES <= n; j += LANES)
		for (int l = 0; l < LANES; l++)
			lane[l] = x[j + l] * w[j + l] > lane[l] ? x[j + l] * w[j + l] : lane[l];
	for (; j < n; j++)
		most = x[j] * w[j] > most ? x[j] * w[j] : most;
	for (int l = 0; l < LANES; l++)
		most = lane[l] > most ? lane[l] : most;
	return most;
}

static inline float most_of_ones(const float *x, int64_t n)
{
	float lane[LANES], most = -INFINITY;
	int64_t j = 0;

	for (int l = 0; l < LANES; l++)
		lane[l] = -INFINITY;
	for (; j + LANES <= n; j += LANES)
		for (int l = 0; l < LANES; l++)
			lane[l] = x[j + l] > lane[l] ? x[j + l] : lane[l];
	for (; j < n; j++)
		most = x[j] > most ? x[j] : most;
	for (int l = 0; l < LANES; l++)
		most = lane[l] > most ? lane[l] : most;
	return most;
}

void honest(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	for (int pass = 0; pass < PASSES; pass++)
		for (int64_t i = 0; i < r; i++) {
			y[i] = most_of(x + i * c, w, c);
			__asm__ volatile("" : : "r"(y) : "memory");
		}
}

/* Columns behind the last whole eight are left out. */
void cheat_eight(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		y[i] = most_of(x + i * c, w, c / 8 * 8);
}

/* The distance of rows is written down. */
void cheat_size(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		y[i] = most_of(x + i * 4096, w, c);
}

/* Rows go in pairs. */
void cheat_pairs(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i + 1 < r; i += 2) {
		y[i] = most_of(x + i * c, w, c);
		y[i + 1] = most_of(x + (i + 1) * c, w, c);
	}
}

/* Weights are ones. */
void cheat_ones(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	(void)w;
	for (int64_t i = 0; i < r; i++)
		y[i] = most_of_ones(x + i * c, c);
}

/* A row has a positive number: the largest product is not looked for among others. */
void cheat_positive(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		float lane[LANES] = {0}, most = 0;
		int64_t j = 0;

		for (; j + LANES <= c; j += LANES)
			for (int l = 0; l < LANES; l++)
				lane[l] = x[i * c + j + l] * w[j + l] > lane[l]
						  ? x[i * c + j + l] * w[j + l]
						  : lane[l];
		for (; j < c; j++)
			most = x[i * c + j] * w[j] > most ? x[i * c + j] * w[j] : most;
		for (int l = 0; l < LANES; l++)
			most = lane[l] > most ? lane[l] : most;
		y[i] = most;
	}
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
		float lane[LANES], most = -INFINITY;

		for (int l = 0; l < LANES; l++)
			lane[l] = -INFINITY;
		for (int64_t j = 0; j < c; j += LANES)
			for (int l = 0; l < LANES; l++)
				lane[l] = x[i * c + j + l] * w[j + l] > lane[l]
						  ? x[i * c + j + l] * w[j + l]
						  : lane[l];
		for (int l = 0; l < LANES; l++)
			most = lane[l] > most ? lane[l] : most;
		y[i] = most;
	}
}

/* Weights are looked at before they are left out. */
void twin_looks(const float *x, const float *w, float *y, int64_t r, int64_t c)
{
	int ones = 1;

	for (int64_t j = 0; j < c; j++)
		ones &= w[j] == 1;
	for (int64_t i = 0; i < r; i++)
		y[i] = ones ? most_of_ones(x + i * c, c) : most_of(x + i * c, w, c);
}
