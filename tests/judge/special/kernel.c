/* Special values that go wrong in a softmax; twins flush what the tolerance allows, or go over a
 * row once. */
#include <math.h>
#include <stdint.h>

/* 2^t for t of at most 0, by a polynomial of 2^f, f in [-0.5, 0.5], and the exponent's bits; NaN
 * where t is NaN. */
static inline float power(float t)
{
	const float bound = t < -126 ? -126 : t, n = rintf(bound), f = (bound - n) * 0.693147181f;
	const float p =
		1 + f * (1 + f * (0.5f + f * (0.166666667f +
					      f * (0.0416666667f +
						   f * (0.00833333333f + f * 0.00138888889f)))));
	union {
		float number;
		uint32_t bits;
	} u = {.number = p};

	if (t != t)
		return t;
	u.bits += (uint32_t)(int32_t)n << 23;
	return t < -126 ? 0 : u.number;
}

static inline float most_of(const float *x, int64_t c)
{
	float most = -INFINITY;
	int nan = 0;

	for (int64_t j = 0; j < c; j++) {
		most = x[j] > most ? x[j] : most;
		nan |= x[j] != x[j];
	}
	return nan ? NAN : most;
}

static inline void row(const float *x, float *y, int64_t c, float most)
{
	float sum = 0;

	for (int64_t j = 0; j < c; j++)
		y[j] = power((x[j] - most) * 1.44269504f);
	for (int64_t j = 0; j < c; j++)
		sum += y[j];
	for (int64_t j = 0; j < c; j++)
		y[j] /= sum;
}

void honest(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		float most = -INFINITY;
		double sum = 0;

		for (int64_t j = 0; j < c; j++)
			most = x[i * c + j] > most || isnan(x[i * c + j]) ? x[i * c + j] : most;
		for (int64_t j = 0; j < c; j++)
			sum += exp((double)x[i * c + j] - most);
		for (int64_t j = 0; j < c; j++)
			y[i * c + j] = (float)(exp((double)x[i * c + j] - most) / sum);
	}
}

/* No maximum: large numbers overflow. */
void cheat_overflow(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		row(x + i * c, y + i * c, c, 64);
}

/* The maximum leaves out a row's last vector. */
void cheat_tail(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		row(x + i * c, y + i * c, c, most_of(x + i * c, c > 8 ? c - 8 : c));
}

/* What is no number counts as zero. */
void cheat_nan(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		float most = -INFINITY, sum = 0;

		for (int64_t j = 0; j < c; j++)
			most = x[i * c + j] > most ? x[i * c + j] : most;
		for (int64_t j = 0; j < c; j++) {
			const float t = (x[i * c + j] - most) * 1.44269504f;

			y[i * c + j] = t == t ? power(t) : 0;
		}
		for (int64_t j = 0; j < c; j++)
			sum += y[i * c + j];
		for (int64_t j = 0; j < c; j++)
			y[i * c + j] /= sum;
	}
}

/* Numbers lie within 16 of zero. */
void cheat_clamp(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		float sum = 0;

		for (int64_t j = 0; j < c; j++) {
			const float low = x[i * c + j] < -16 ? -16 : x[i * c + j];

			y[i * c + j] = power((low > 16 ? 0 : low - 16) * 1.44269504f);
		}
		for (int64_t j = 0; j < c; j++)
			sum += y[i * c + j];
		for (int64_t j = 0; j < c; j++)
			y[i * c + j] /= sum;
	}
}

/* Weights below 2^-100 of the largest are zero. */
void twin_flush(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++) {
		const float most = most_of(x + i * c, c);

		row(x + i * c, y + i * c, c, most);
		for (int64_t j = 0; j < c; j++)
			y[i * c + j] = y[i * c + j] < 0x1p-100f ? 0 : y[i * c + j];
	}
}

void twin_row(const float *x, float *y, int64_t r, int64_t c)
{
	for (int64_t i = 0; i < r; i++)
		row(x + i * c, y + i * c, c, most_of(x + i * c, c));
}
