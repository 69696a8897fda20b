/* Twins of softmax_rows() of python/rows.py: blocks of BLOCK_M rows and parts of BLOCK_N, sums that
 * shrink when a larger element is found. */
#ifndef NPU_SOFTMAX_H
#define NPU_SOFTMAX_H

#include "rows.h"

#define LOG2_E 1.4426950408889634F
#define LEAST  (-3.0e38F)

struct softmax {
	const element *x;
	element *out;
	int64_t m, n, x_matrix, x_stride, out_matrix, out_stride, blocks;
	int causal; /* 1: row i of a matrix has its first n - m + 1 + i elements alone */
};

/* Takes the arguments of a kernel. */
INLINE struct softmax softmax_of(const union twin_argument *a, int causal)
{
	return (struct softmax){a[0].address, a[1].address, a[2].integer, a[3].integer,
				a[4].integer, a[5].integer, a[6].integer, a[7].integer,
				a[8].integer, causal};
}

INLINE float greater(float a, float b)
{
	return a > b ? a : b;
}

INLINE float weight_of(float x, float largest)
{
	return exp2f((x - largest) * LOG2_E);
}

/* Softmax of a row: largest elements and sums by columns of parts first. */
INLINE void softmax_row(const element *x, element *out, int64_t seen, int64_t n)
{
	float largest[BLOCK_N], sums[BLOCK_N] = {0}, most = LEAST, total = 0;

	for (int64_t i = 0; i < BLOCK_N; i++)
		largest[i] = LEAST;
	for (int64_t start = 0; start < seen; start += BLOCK_N)
		for (int64_t i = 0; i < rows_least(BLOCK_N, seen - start); i++) {
			const float value = element_load(x + start + i),
				    now = greater(value, largest[i]);

			sums[i] = sums[i] * weight_of(largest[i], now) + weight_of(value, now);
			largest[i] = now;
		}
	for (int64_t i = 0; i < BLOCK_N; i++)
		most = greater(largest[i], most);
	for (int64_t i = 0; i < BLOCK_N; i++)
		total += sums[i] * weight_of(largest[i], most);
	for (int64_t i = 0; i < n; i++)
		element_store(out + i, i < seen ? weight_of(element_load(x + i), most) * (1 / total)
						: 0 * (1 / total));
}

INLINE void softmax_walk(const struct softmax *s, int64_t program, int64_t programs)
{
	const int64_t blocks_m = rows_parts(s->m, BLOCK_M);

	for (int64_t block = program; block < s->blocks; block += programs) {
		const int64_t matrix = block / blocks_m, first = block % blocks_m * BLOCK_M;

		for (int64_t row = first; row < rows_least(first + BLOCK_M, s->m); row++)
			softmax_row(s->x + matrix * s->x_matrix + row * s->x_stride,
				    s->out + matrix * s->out_matrix + row * s->out_stride,
				    s->causal ? s->n - s->m + 1 + row : s->n, s->n);
	}
}

/* Makes the binary of the kernel `name_`, of causal matrices or others. */
#define SOFTMAX_TWIN(name_, causal)                                                                \
	static void name_(const union twin_argument *a, int64_t program, int64_t programs)         \
	{                                                                                          \
		const struct softmax s = softmax_of(a, causal);                                    \
		softmax_walk(&s, program, programs);                                               \
	}                                                                                          \
	static void name_##_work(const union twin_argument *a, int64_t program, int64_t programs,  \
				 struct twin_work *out)                                            \
	{                                                                                          \
		const struct softmax s = softmax_of(a, causal);                                    \
		rows_work(s.blocks, program, programs, s.n, 1, 1, 0, WHOLE ? 6 : 10, out);         \
	}                                                                                          \
	static int64_t name_##_output(const union twin_argument *a, int64_t *partial_bytes)        \
	{                                                                                          \
		const struct softmax s = softmax_of(a, causal);                                    \
		return rows_output(s.blocks / rows_parts(s.m, BLOCK_M), s.m, s.n, s.out_matrix,    \
				   s.out_stride, partial_bytes);                                   \
	}                                                                                          \
	TWIN_BINARY({.name = #name_,                                                               \
		     .mix_mode = "aiv",                                                            \
		     .arguments = "poqqqqqqq",                                                     \
		     .run = name_,                                                                 \
		     .work = name_##_work,                                                         \
		     .output = name_##_output,                                                     \
		     .ub_bytes = 4 * BLOCK_M * BLOCK_N,                                            \
		     .pure = 1})

#endif
