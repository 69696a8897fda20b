/* Gated half of a perceptron, out = silu(x a) (x b), row-major. One call makes ROWS rows of BLOCK_N
 * columns, build-stage parameters: both sums of a row of the block stay in registers or the nearest
 * cache, and each row of a and b that is read serves ROWS rows. */
#include <math.h>
#include <stdint.h>

#include "../cpu/element.h"

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Adds x times the row `from` to the sums. */
INLINE void add_row(float *restrict sums, float x, const float *from)
{
	for (int64_t j = 0; j < BLOCK_N; j++)
		sums[j] += x * from[j];
}

/* Copies a row as floats; what is behind its end is 0. */
INLINE void load_row(float *to, const element *from, int64_t columns)
{
	if (columns == BLOCK_N)
		for (int64_t j = 0; j < BLOCK_N; j++)
			to[j] = element_load(from + j);
	else
		for (int64_t j = 0; j < columns; j++)
			to[j] = element_load(from + j);
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void gated_mlp(const element *restrict x, const element *restrict a, const element *restrict b,
	       element *restrict out, int64_t m, int64_t n, int64_t k, int64_t block_x,
	       int64_t block_y)
{
	const int64_t row = block_x * ROWS, rows = least(ROWS, m - row);
	const int64_t column = block_y * BLOCK_N, columns = least(BLOCK_N, n - column);
	float gates[ROWS][BLOCK_N] = {{0}}, values[ROWS][BLOCK_N] = {{0}};
	float of_a[BLOCK_N] = {0}, of_b[BLOCK_N] = {0};
	for (int64_t i = 0; i < k; i++) {
		load_row(of_a, a + i * n + column, columns);
		load_row(of_b, b + i * n + column, columns);
		for (int64_t r = 0; r < rows; r++) {
			const float factor = element_load(x + (row + r) * k + i);
			add_row(gates[r], factor, of_a);
			add_row(values[r], factor, of_b);
		}
	}
	for (int64_t r = 0; r < rows; r++)
		for (int64_t j = 0; j < columns; j++) {
			const float gate = gates[r][j], gated = gate / (1 + expf(-gate));
			element_store(out + (row + r) * n + column + j, gated * values[r][j]);
		}
}
