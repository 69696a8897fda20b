/* Matrix product C = A B, row-major: A is M x K, B is K x N.
 *
 * One call computes one block of C, of at most BLOCK_M x BLOCK_N elements, in passes over BLOCK_K
 * of the inner dimension. A pass packs its part of B into strips of WIDTH columns and its part of A
 * into tiles of ROWS rows, so that the inner loop reads both in order, then adds their products to
 * sums kept in float, tile by tile: a strip of B stays in the first cache level while A, from the
 * second, goes by (Goto & van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM
 * TOMS 34(3), 2008). Blocks are of equal size, so BLOCK_M and BLOCK_N are upper limits.
 *
 * Rows and columns of packed tiles beyond the matrix are left as they are: what becomes of them is
 * not stored.
 *
 * Build-stage parameters: BLOCK_M, BLOCK_N, BLOCK_K; ROWS and VECTORS, the size of a register tile,
 * and UNROLL, of its loop. */
#include <stdbool.h>
#include <stdint.h>

#include "../cpu/tile.h"

_Static_assert(BLOCK_M % ROWS == 0, "a block has a whole number of register tiles in a column");
_Static_assert(BLOCK_N % WIDTH == 0, "a block has a whole number of strips");

struct block {            /* of C */
	const element *a; /* its first row; rows are k apart */
	const element *b; /* its first column; rows are n apart */
	element *c;
	int64_t n, k;
	int64_t rows, columns;
};

struct work {        /* of one thread */
	float *a;    /* tiles of BLOCK_K x ROWS */
	float *b;    /* strips of BLOCK_K x WIDTH */
	float *sums; /* tiles of ROWS x WIDTH, strip by strip */
};

static void rows_pack(const struct block *m, float *to, int64_t first, int64_t depth)
{
	for (int64_t row = 0; row < m->rows; row += ROWS, to += depth * ROWS) {
		const element *a = m->a + row * m->k + first;
		const int64_t rows = least(ROWS, m->rows - row);
		if (rows == ROWS)
			for (int64_t i = 0; i < depth; i++)
				for (int64_t r = 0; r < ROWS; r++)
					to[i * ROWS + r] = element_load(a + r * m->k + i);
		else
			for (int64_t r = 0; r < rows; r++)
				for (int64_t i = 0; i < depth; i++)
					to[i * ROWS + r] = element_load(a + r * m->k + i);
	}
}

static void columns_pack(const struct block *m, float *to, int64_t first, int64_t depth)
{
	for (int64_t i = 0; i < depth; i++) {
		const element *b = m->b + (first + i) * m->n;
		float *line = to + i * WIDTH;
		int64_t j = 0;
		for (; j + WIDTH <= m->columns; j += WIDTH, line += depth * WIDTH)
			for (int64_t c = 0; c < WIDTH; c++)
				line[c] = element_load(b + j + c);
		for (int64_t c = 0; c < m->columns - j; c++)
			line[c] = element_load(b + j + c);
	}
}

INLINE void tile_load(struct tile *t, const float *from)
{
	REPEAT(ROWS)
	for (int r = 0; r < ROWS; r++) {
		REPEAT(VECTORS)
		for (int c = 0; c < VECTORS; c++)
			t->sum[r][c] = vec_load(from + r * WIDTH + c * LANES);
	}
}

static void pass_multiply(const struct block *m, const struct work *w, bool begun, int64_t depth)
{
	const float *strip = w->b;
	float *sums = w->sums;
	for (int64_t j = 0; j < m->columns; j += WIDTH, strip += depth * WIDTH) {
		const float *rows = w->a;
		for (int64_t i = 0; i < m->rows; i += ROWS) {
			struct tile t = {0};
			if (begun)
				tile_load(&t, sums);
			tile_multiply(&t, rows, 1, ROWS, strip, WIDTH, depth);
			tile_store(sums, WIDTH, &t);
			rows += depth * ROWS;
			sums += ROWS * WIDTH;
		}
	}
}

static void sums_store(const struct block *m, const float *sums)
{
	for (int64_t j = 0; j < m->columns; j += WIDTH) {
		const int64_t columns = least(WIDTH, m->columns - j);
		for (int64_t i = 0; i < m->rows; i++, sums += WIDTH)
			for (int64_t c = 0; c < columns; c++)
				element_store(m->c + i * m->n + j + c, sums[c]);
		sums += (round_up(m->rows, ROWS) - m->rows) * WIDTH;
	}
}

/* Where part `index` of `size` elements begins, when it is cut into equal parts of at most `limit`
 * (a multiple of `unit`), each a multiple of `unit`; its length is *length, 0 behind the end. */
static int64_t part(int64_t size, int64_t limit, int64_t unit, int64_t index, int64_t *length)
{
	const int64_t parts = (size + limit - 1) / limit;
	const int64_t each = round_up((size + parts - 1) / parts, unit);
	const int64_t first = least(index * each, size);
	*length = least(each, size - first);
	return first;
}

/* The layout that the scratch argument of gemm.json provides for, per thread. */
static struct work work_place(float *scratch, int64_t thread)
{
	const int64_t a = (int64_t)BLOCK_M * BLOCK_K, b = (int64_t)BLOCK_N * BLOCK_K;
	const int64_t sums = (int64_t)BLOCK_M * BLOCK_N;
	struct work w;
	w.a = scratch + thread * (a + b + sums);
	w.b = w.a + a;
	w.sums = w.b + b;
	return w;
}

// NOLINTNEXTLINE(readability-function-size): the workload's argument list
void gemm(const element *a, const element *b, element *c, int64_t m, int64_t n, int64_t k,
	  void *scratch, int64_t thread, int64_t block_x, int64_t block_y)
{
	struct block t = {.n = n, .k = k};
	const int64_t column = part(n, BLOCK_N, WIDTH, block_x, &t.columns);
	const int64_t row = part(m, BLOCK_M, ROWS, block_y, &t.rows);
	t.a = a + row * k;
	t.b = b + column;
	t.c = c + row * n + column;
	const struct work w = work_place(scratch, thread);
	for (int64_t first = 0; first < k; first += BLOCK_K) {
		const int64_t depth = least(BLOCK_K, k - first);
		rows_pack(&t, w.a, first, depth);
		columns_pack(&t, w.b, first, depth);
		pass_multiply(&t, &w, first > 0, depth);
	}
	sums_store(&t, w.sums);
}
