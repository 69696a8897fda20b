/* Pieces of twins whose kernels take a matrix by blocks of BLOCK_M rows, in parts of BLOCK_N
 * elements, in one pass over a row (WHOLE) or two. */
#ifndef NPU_ROWS_H
#define NPU_ROWS_H

#include <math.h>

#include "../cpu/element.h"
#include "twin.h"

/* Visits the blocks of a program. */
INLINE void rows_walk(const union twin_argument *a, int64_t blocks, int64_t program,
		      int64_t programs, void (*visit)(const union twin_argument *a, int64_t block))
{
	for (int64_t block = program; block < blocks; block += programs)
		visit(a, block);
}

/* Work of a program on rows of n elements: `beside` rows that each block reads beside its own, and
 * vector operations for each element. */
INLINE void rows_work(int64_t blocks, int64_t program, int64_t programs, int64_t n, double beside,
		      double operations, struct twin_work *out)
{
	const double own = (double)((blocks - program + programs - 1) / programs),
		     parts = ceil((double)n / BLOCK_N), passes = WHOLE ? 1 : 2,
		     row_bytes = (double)n * sizeof(element);

	out->read_bytes = own * (passes * BLOCK_M + beside) * row_bytes;
	out->written_bytes = own * BLOCK_M * row_bytes;
	out->vector_operations = own * BLOCK_M * parts * BLOCK_N * operations;
	out->steps = own * parts * passes;
}

/* Bytes of an output of `rows` rows of n elements, and of its last block where that is not full. */
INLINE int64_t rows_output(int64_t rows, int64_t n, int64_t *partial_bytes)
{
	const int64_t row_bytes = n * (int64_t)sizeof(element);

	*partial_bytes = rows % BLOCK_M * row_bytes;
	return rows * row_bytes;
}

#endif
