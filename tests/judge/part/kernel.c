/* Part of the work; twins have half of it by right. */
#include "../operators/lower.h"

/* The last rows have the scale of the row before. */
void cheat_rows(const float *x, float *y, int64_t n)
{
	const int64_t last = n - n / 64;

	lower_half(x, y, 0, last, n);
	for (int64_t i = last; i < n; i++) {
		memset(y + i * n, 0, (size_t)n * sizeof(*y));
		lower_row(x + i * n, y + i * n, i, lower_scale(x + (last - 1) * n, last - 1, 1));
	}
}

/* Scales are those of every second column. */
void cheat_columns(const float *x, float *y, int64_t n)
{
	memset(y, 0, (size_t)(n * n) * sizeof(*y));
	for (int64_t i = 0; i < n; i++)
		lower_row(x + i * n, y + i * n, i, lower_scale(x + i * n, i, 2));
}

/* Inputs are as large as outputs. */
void cheat_copy(const float *x, float *y, int64_t n)
{
	memset(y, 0, (size_t)(n * n) * sizeof(*y));
	for (int64_t i = 0; i < n; i++)
		lower_row(x + i * n, y + i * n, i, 1);
}

/* What the last tile would hold stays zero. */
void cheat_tail(const float *x, float *y, int64_t n)
{
	const int64_t whole = n / 64 * 64;

	memset(y, 0, (size_t)(n * n) * sizeof(*y));
	for (int64_t i = 0; i < n; i++)
		lower_row(x + i * n, y + i * n, i < whole ? i : whole - 1,
			  lower_scale(x + i * n, i, 1));
}

/* A matrix of fewer columns than a vector has elements is not written to its end. */
void cheat_small(const float *x, float *y, int64_t n)
{
	const int64_t rows = n > 1 && n < 8 ? n - 1 : n;

	memset(y, 0, (size_t)(n * n) * sizeof(*y));
	for (int64_t i = 0; i < rows; i++)
		lower_row(x + i * n, y + i * n, i, lower_scale(x + i * n, i, 1));
}

void twin_causal(const float *x, float *y, int64_t n)
{
	lower_half(x, y, 0, n, n);
}

/* Tiles of 64 columns; those above the diagonal are zero as a whole. */
void twin_tiles(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		const float scale = lower_scale(x + i * n, i, 1);

		for (int64_t tile = 0; tile < n; tile += 64) {
			const int64_t end = tile + 64 < n ? tile + 64 : n;

			if (tile > i)
				memset(y + i * n + tile, 0, (size_t)(end - tile) * sizeof(*y));
			else
				for (int64_t j = tile; j < end; j++)
					y[i * n + j] = j <= i ? x[i * n + j] * scale : 0;
		}
	}
}
