/* Pieces of twins whose kernels multiply row-major matrices, [M, K] by [K, N], in float32: blocks
 * of BLOCK_M x BLOCK_N in steps of BLOCK_K, GROUP_M rows of blocks taken column by column. */
#ifndef NPU_PRODUCT_H
#define NPU_PRODUCT_H

#include "../cpu/element.h"
#include "twin.h"

struct product {
	int64_t m, n, k;
};

INLINE int64_t product_least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

INLINE int64_t product_parts(int64_t n, int64_t part)
{
	return (n + part - 1) / part;
}

/* First row and first column of a block. */
INLINE void product_place(const struct product *p, int64_t block, int64_t *row, int64_t *column)
{
	const int64_t blocks_n = product_parts(p->n, BLOCK_N), group = GROUP_M * blocks_n;
	const int64_t first = block / group * GROUP_M, inside = block % group;
	const int64_t height = product_least(product_parts(p->m, BLOCK_M) - first, GROUP_M);

	*row = (first + inside % height) * BLOCK_M;
	*column = inside / height * BLOCK_N;
}

/* Makes sums of a block: left is [M, K], right [K, N]. */
INLINE void product_sum(const struct product *p, const element *left, const element *right,
			int64_t row, int64_t column, float (*restrict sums)[BLOCK_N])
{
	const int64_t rows = product_least(BLOCK_M, p->m - row),
		      columns = product_least(BLOCK_N, p->n - column);

	for (int64_t i = 0; i < rows; i++) {
		for (int64_t j = 0; j < BLOCK_N; j++)
			sums[i][j] = 0;
		for (int64_t depth = 0; depth < p->k; depth++) {
			const float x = element_load(left + (row + i) * p->k + depth);
			const element *y = right + depth * p->n + column;

			for (int64_t j = 0; j < columns; j++)
				sums[i][j] += x * element_load(y + j);
		}
	}
}

/* Work of a program: `rights` matrices are multiplied with the same rows, and `operations` follow
 * for each element of the result. */
INLINE void product_work(const struct product *p, int64_t blocks, int64_t program, int64_t programs,
			 int64_t rights, double operations, struct twin_work *out)
{
	const double own = (double)((blocks - program + programs - 1) / programs),
		     steps = (double)product_parts(p->k, BLOCK_K), tile = (double)BLOCK_M * BLOCK_N;

	out->steps = own * steps;
	out->read_bytes =
		own * steps * (double)(BLOCK_M + rights * BLOCK_N) * BLOCK_K * sizeof(element);
	out->written_bytes = own * tile * sizeof(element);
	out->cube_operations = own * steps * 2 * tile * BLOCK_K * (double)rights;
	out->vector_operations = own * tile * operations;
}

/* Bytes of the result, and of its last rows where their blocks are not full. */
INLINE int64_t product_output(const struct product *p, int64_t *partial_bytes)
{
	const int64_t row_bytes = p->n * (int64_t)sizeof(element);

	*partial_bytes = p->m % BLOCK_M * row_bytes;
	return p->m * row_bytes;
}

#endif
