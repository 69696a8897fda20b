/* Twins of norms (norm_rows() of python/rows.py). The element type of the weight is W. */
#ifndef NPU_NORM_H
#define NPU_NORM_H

#include "rows.h"

ELEMENTS(weight, W)

struct norm {
	const element *x, *added; /* added: NULL where the norm is that of x alone */
	const weight *scales;
	element *total, *out;
	int64_t m, n, x_matrix, x_stride, out_matrix, out_stride, blocks;
	float epsilon;
};

/* Takes a kernel's arguments from M on. */
INLINE void norm_take(struct norm *o, const union twin_argument *a)
{
	o->m = a[0].integer;
	o->n = a[1].integer;
	o->x_matrix = a[2].integer;
	o->x_stride = a[3].integer;
	o->out_matrix = a[4].integer;
	o->out_stride = a[5].integer;
	o->epsilon = (float)a[6].real;
	o->blocks = a[7].integer;
}

/* Element of a row, or of the sum, rounded as it is stored. */
INLINE float norm_load(const struct norm *o, int64_t at)
{
	const float x = element_load(o->x + at);
	element sum;

	if (!o->added)
		return x;
	element_store(&sum, x + element_load(o->added + at));
	return element_load(&sum);
}

/* Normalises a row whose elements begin at `x` and `out`: sums of squares, one for each column of a
 * part, then all of them. */
INLINE void norm_row(const struct norm *o, int64_t x, int64_t out,
		     float (*formula)(float mean, float epsilon))
{
	float squares[BLOCK_N] = {0}, sum = 0;

	for (int64_t start = 0; start < o->n; start += BLOCK_N)
		for (int64_t i = 0; i < rows_least(BLOCK_N, o->n - start); i++) {
			const float value = norm_load(o, x + start + i);

			squares[i] += value * value;
		}
	for (int64_t i = 0; i < BLOCK_N; i++)
		sum += squares[i];
	const float factor = formula(sum / (float)o->n, o->epsilon);

	for (int64_t i = 0; i < o->n; i++) {
		const float value = norm_load(o, x + i);

		if (o->total)
			element_store(o->total + out + i, value);
		element_store(o->out + out + i, value * factor * weight_load(o->scales + i));
	}
}

/* Normalises the rows of a program; the formula gives a row's factor of the mean of its squares. */
INLINE void norm_walk(const struct norm *o, int64_t program, int64_t programs,
		      float (*formula)(float mean, float epsilon))
{
	const int64_t blocks_m = rows_parts(o->m, BLOCK_M);

	for (int64_t block = program; block < o->blocks; block += programs) {
		const int64_t matrix = block / blocks_m, first = block % blocks_m * BLOCK_M;

		for (int64_t row = first; row < rows_least(first + BLOCK_M, o->m); row++)
			norm_row(o, matrix * o->x_matrix + row * o->x_stride,
				 matrix * o->out_matrix + row * o->out_stride, formula);
	}
}

INLINE float norm_root_mean_square(float mean, float epsilon)
{
	return 1 / sqrtf(mean + epsilon);
}

/* Makes the binary of the kernel `name_`, whose norm `of` is; `tensors` are read and written. */
#define NORM_TWIN(name_, letters, of, formula, tensors, operations)                                \
	static void name_(const union twin_argument *a, int64_t program, int64_t programs)         \
	{                                                                                          \
		const struct norm o = of(a);                                                       \
		norm_walk(&o, program, programs, formula);                                         \
	}                                                                                          \
	static void name_##_work(const union twin_argument *a, int64_t program, int64_t programs,  \
				 struct twin_work *out)                                            \
	{                                                                                          \
		const struct norm o = of(a);                                                       \
		rows_work(o.blocks, program, programs, o.n, tensors, tensors, 1, operations, out); \
	}                                                                                          \
	static int64_t name_##_output(const union twin_argument *a, int64_t *partial_bytes)        \
	{                                                                                          \
		const struct norm o = of(a);                                                       \
		return rows_output(o.blocks / rows_parts(o.m, BLOCK_M), o.m, o.n, o.out_matrix,    \
				   o.out_stride, partial_bytes);                                   \
	}                                                                                          \
	TWIN_BINARY({.name = #name_,                                                               \
		     .mix_mode = "aiv",                                                            \
		     .arguments = letters,                                                         \
		     .run = name_,                                                                 \
		     .work = name_##_work,                                                         \
		     .output = name_##_output,                                                     \
		     .ub_bytes = 4 * BLOCK_M * BLOCK_N,                                            \
		     .pure = 1})

#endif
