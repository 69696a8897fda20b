/* Twin of kernel.py. */
#include <string.h>

#include "../npu/rows.h"

enum {
	ARG_TENSORS,
	TENSORS = 4,
	ARG_OUT = TENSORS,
	ARG_M,
	ARG_N,
	ARG_STRIDES = ARG_N + TENSORS,
	ARG_OUT_STRIDE = ARG_STRIDES + TENSORS,
	ARG_BLOCKS
};

INLINE int64_t columns_of(const union twin_argument *a)
{
	int64_t n = 0;

	for (int i = 0; i < TENSORS; i++)
		n += a[ARG_N + i].integer;
	return n;
}

INLINE int64_t parts_of(const union twin_argument *a)
{
	int64_t parts = 0;

	for (int i = 0; i < TENSORS; i++)
		parts += rows_parts(a[ARG_N + i].integer, BLOCK_SIZE);
	return parts;
}

/* A block: rows from `first` on, part number `part` of the columns of all tensors. */
static void copy_block(const union twin_argument *a, int64_t first, int64_t part)
{
	element *out = a[ARG_OUT].address;
	int i = 0;

	for (; part >= rows_parts(a[ARG_N + i].integer, BLOCK_SIZE); i++) {
		part -= rows_parts(a[ARG_N + i].integer, BLOCK_SIZE);
		out += a[ARG_N + i].integer;
	}
	const element *x = (const element *)a[ARG_TENSORS + i].address + part * BLOCK_SIZE;
	const int64_t n = rows_least(BLOCK_SIZE, a[ARG_N + i].integer - part * BLOCK_SIZE);

	for (int64_t row = first; row < rows_least(first + BLOCK_M, a[ARG_M].integer); row++)
		memcpy(out + row * a[ARG_OUT_STRIDE].integer + part * BLOCK_SIZE,
		       x + row * a[ARG_STRIDES + i].integer, (size_t)n * sizeof(element));
}

static void cat(const union twin_argument *a, int64_t program, int64_t programs)
{
	const int64_t parts = parts_of(a);

	for (int64_t block = program; block < a[ARG_BLOCKS].integer; block += programs)
		copy_block(a, block / parts * BLOCK_M, block % parts);
}

static void cat_work(const union twin_argument *a, int64_t program, int64_t programs,
		     struct twin_work *out)
{
	const double own = rows_own(a[ARG_BLOCKS].integer, program, programs);

	out->steps = own * BLOCK_SIZE / BLOCK_SIZE_SUB;
	out->read_bytes = out->written_bytes = own * BLOCK_M * BLOCK_SIZE * sizeof(element);
}

static int64_t cat_output(const union twin_argument *a, int64_t *partial_bytes)
{
	const int64_t m = a[ARG_M].integer;

	return rows_output(1, m, columns_of(a), 0, a[ARG_OUT_STRIDE].integer, partial_bytes);
}

TWIN_BINARY({.name = "cat",
	     .mix_mode = "aiv",
	     .arguments = "ppppoqqqqqqqqqqq",
	     .run = cat,
	     .work = cat_work,
	     .output = cat_output,
	     .ub_bytes = (int64_t)sizeof(element) * BLOCK_M * BLOCK_SIZE_SUB,
	     .pure = 1});
