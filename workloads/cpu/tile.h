/* Vectors, and the register tile that CPU kernels are built around: ROWS rows by VECTORS vectors of
 * sums, to which outer products are added.
 *
 * A kernel is one translation unit, compiled anew for each configuration, so its functions are
 * defined here; the build-stage parameters ROWS, VECTORS and UNROLL are macros. */
#ifndef ASCTUNE_CPU_TILE_H
#define ASCTUNE_CPU_TILE_H

#include "rows.h"

typedef float vec_unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

enum {
	WIDTH = VECTORS * LANES, /* columns of a register tile: a strip */
	MAX_WIDTH = VECTORS * 16 /* on any machine: sizes of scratch must not depend on it */
};

/* A function that stays by itself: with all steps of a kernel in one, compiling takes a quarter
 * longer or more, and each configuration is compiled. */
#define STEP static __attribute__((noinline))

struct tile {
	vec sum[ROWS][VECTORS];
};

INLINE int64_t round_up(int64_t n, int64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

INLINE vec vec_load(const float *p)
{
	return *(const vec_unaligned *)p;
}

INLINE void vec_store(float *p, vec x)
{
	*(vec_unaligned *)p = x;
}

/* tile += A b. Element i of row r is a[r * row + i * step]; b's row i are the WIDTH floats from
 * b + i * b_stride on. Constants for `row` and `step` leave one pointer for the whole of A. */
INLINE void tile_multiply(struct tile *t, const float *restrict a, int64_t row, int64_t step,
			  const float *restrict b, int64_t b_stride, int64_t depth)
{
	REPEAT(UNROLL)
	for (int64_t i = 0; i < depth; i++) {
		vec right[VECTORS];
		REPEAT(VECTORS)
		for (int c = 0; c < VECTORS; c++)
			right[c] = vec_load(b + i * b_stride + c * LANES);
		REPEAT(ROWS)
		for (int r = 0; r < ROWS; r++) {
			const float x = a[r * row + i * step];
			REPEAT(VECTORS)
			for (int c = 0; c < VECTORS; c++)
				t->sum[r][c] += x * right[c];
		}
	}
}

INLINE void tile_store(float *out, int64_t stride, const struct tile *t)
{
	REPEAT(ROWS)
	for (int r = 0; r < ROWS; r++) {
		REPEAT(VECTORS)
		for (int c = 0; c < VECTORS; c++)
			vec_store(out + r * stride + c * LANES, t->sum[r][c]);
	}
}

#endif
