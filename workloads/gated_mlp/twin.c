/* Twin of kernel.py with WALK: the same blocks in the same order, both products in float32. */
#include <math.h>
#include <stdint.h>

#include "../npu/product.h"

enum { ARG_X, ARG_A, ARG_B, ARG_OUT, ARG_M, ARG_N, ARG_K, ARG_BLOCKS };

static struct product product_of(const union twin_argument *a)
{
	return (struct product){a[ARG_M].integer, a[ARG_N].integer, a[ARG_K].integer};
}

static void gated_mlp(const union twin_argument *a, int64_t program, int64_t programs)
{
	static __thread float gates[BLOCK_M][BLOCK_N], values[BLOCK_M][BLOCK_N];
	const struct product p = product_of(a);

	for (int64_t block = program; block < a[ARG_BLOCKS].integer; block += programs) {
		int64_t row, column;

		product_place(&p, block, &row, &column);
		product_sum(&p, a[ARG_X].address, a[ARG_A].address, row, column, gates);
		product_sum(&p, a[ARG_X].address, a[ARG_B].address, row, column, values);
		for (int64_t i = 0; i < product_least(BLOCK_M, p.m - row); i++)
			for (int64_t j = 0; j < product_least(BLOCK_N, p.n - column); j++)
				element_store((element *)a[ARG_OUT].address + (row + i) * p.n +
						      column + j,
					      gates[i][j] / (1 + expf(-gates[i][j])) *
						      values[i][j]);
	}
}

static void gated_mlp_work(const union twin_argument *a, int64_t program, int64_t programs,
			   struct twin_work *out)
{
	const struct product p = product_of(a);

	product_work(&p, a[ARG_BLOCKS].integer, program, programs, 2, 5, out);
}

static int64_t gated_mlp_output(const union twin_argument *a, int64_t *partial_bytes)
{
	const struct product p = product_of(a);

	return product_output(&p, partial_bytes);
}

/* UB as on 910B, which states none for it. */
TWIN_BINARY({.name = "gated_mlp",
	     .mix_mode = "mix",
	     .arguments = "pppowwwq",
	     .run = gated_mlp,
	     .work = gated_mlp_work,
	     .output = gated_mlp_output,
	     .l0c_bytes = 8 * BLOCK_M * BLOCK_N,
	     .pure = 1});
