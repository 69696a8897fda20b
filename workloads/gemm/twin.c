/* Twin of kernel.py with WALK: the same blocks in the same order, sums in float32. */
#include <stdint.h>

#include "../npu/product.h"

enum { ARG_A, ARG_B, ARG_C, ARG_M, ARG_N, ARG_K, ARG_BLOCKS };

static struct product product_of(const union twin_argument *a)
{
	return (struct product){a[ARG_M].integer, a[ARG_N].integer, a[ARG_K].integer};
}

static void gemm(const union twin_argument *a, int64_t program, int64_t programs)
{
	static __thread float sums[BLOCK_M][BLOCK_N];
	const struct product p = product_of(a);

	for (int64_t block = program; block < a[ARG_BLOCKS].integer; block += programs) {
		int64_t row, column;

		product_place(&p, block, &row, &column);
		product_sum(&p, a[ARG_A].address, a[ARG_B].address, row, column, sums);
		for (int64_t i = 0; i < product_least(BLOCK_M, p.m - row); i++)
			for (int64_t j = 0; j < product_least(BLOCK_N, p.n - column); j++)
				element_store((element *)a[ARG_C].address + (row + i) * p.n +
						      column + j,
					      sums[i][j]);
	}
}

static void gemm_work(const union twin_argument *a, int64_t program, int64_t programs,
		      struct twin_work *out)
{
	const struct product p = product_of(a);

	product_work(&p, a[ARG_BLOCKS].integer, program, programs, 1, 0, out);
}

static int64_t gemm_output(const union twin_argument *a, int64_t *partial_bytes)
{
	const struct product p = product_of(a);

	return product_output(&p, partial_bytes);
}

/* UB as on 910B, whose accumulators leave without it. */
TWIN_BINARY({.name = "gemm",
	     .mix_mode = "mix",
	     .arguments = "ppowwwq",
	     .run = gemm,
	     .work = gemm_work,
	     .output = gemm_output,
	     .l0c_bytes = 4 * BLOCK_M * BLOCK_N,
	     .pure = 1});
