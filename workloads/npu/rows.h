/* Pieces of twins whose kernels take matrices by blocks of BLOCK_M rows (python/rows.py): rows of
 * elements that lie side by side, with strides between rows and between matrices. */
#ifndef NPU_ROWS_H
#define NPU_ROWS_H

#include <math.h>

#include "../cpu/element.h"
#include "twin.h"

INLINE int64_t rows_least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

INLINE int64_t rows_parts(int64_t n, int64_t part)
{
	return (n + part - 1) / part;
}

/* Blocks that a program visits. */
INLINE double rows_own(int64_t blocks, int64_t program, int64_t programs)
{
	return (double)rows_parts(blocks - program, programs);
}

#ifdef BLOCK_N
/* Work of a program whose blocks take rows of n elements in parts of BLOCK_N, in one pass (WHOLE)
 * or two: `reads` and `writes` of rows in a pass, `beside` rows that a block reads beside its own,
 * and vector operations for each element. */
INLINE void rows_work(int64_t blocks, int64_t program, int64_t programs, int64_t n, double reads,
		      double writes, double beside, double operations, struct twin_work *out)
{
	const double own = rows_own(blocks, program, programs), passes = WHOLE ? 1 : 2,
		     parts = (double)rows_parts(n, BLOCK_N),
		     row_bytes = (double)n * sizeof(element);

	out->read_bytes = own * (reads * passes * BLOCK_M + beside) * row_bytes;
	out->written_bytes = own * writes * BLOCK_M * row_bytes;
	out->vector_operations = own * BLOCK_M * parts * BLOCK_N * operations;
	out->steps = own * parts * passes;
}
#endif

/* Bytes from the first element of an output to its last one: matrices of m rows of n elements; and
 * those of the last block of rows where that is not full. */
INLINE int64_t rows_output(int64_t matrices, int64_t m, int64_t n, int64_t matrix, int64_t stride,
			   int64_t *partial_bytes)
{
	const int64_t size = sizeof(element), rest = m % BLOCK_M;

	*partial_bytes = rest ? ((rest - 1) * stride + n) * size : 0;
	return ((matrices - 1) * matrix + (m - 1) * stride + n) * size;
}

#endif
