/* Twin of kernel.py: the same blocks and parts of rows, the same sums. */
#include <math.h>
#include <stdint.h>

#include "../npu/rows.h"

enum { ARG_X, ARG_WEIGHT, ARG_OUT, ARG_M, ARG_N, ARG_EPSILON, ARG_BLOCKS };

/* Sums of squares, one for each column of a part, then all of them. */
INLINE float row_squares(const element *x, int64_t n)
{
	float squares[BLOCK_N] = {0}, sum = 0;

	for (int64_t start = 0; start < n; start += BLOCK_N) {
		const int64_t end = n - start < BLOCK_N ? n - start : BLOCK_N;

		for (int64_t i = 0; i < end; i++) {
			const float value = element_load(x + start + i);

			squares[i] += value * value;
		}
	}
	for (int64_t i = 0; i < BLOCK_N; i++)
		sum += squares[i];
	return sum;
}

static void scale_rows(const union twin_argument *a, int64_t block)
{
	const int64_t n = a[ARG_N].integer, first = block * BLOCK_M;
	const int64_t end = first + BLOCK_M < a[ARG_M].integer ? first + BLOCK_M : a[ARG_M].integer;
	const element *weight = a[ARG_WEIGHT].address;

	for (int64_t row = first; row < end; row++) {
		const element *x = (const element *)a[ARG_X].address + row * n;
		element *out = (element *)a[ARG_OUT].address + row * n;
		const float mean = row_squares(x, n) / (float)n;
		const float factor = 1 / sqrtf(mean + (float)a[ARG_EPSILON].real);

		for (int64_t i = 0; i < n; i++)
			element_store(out + i,
				      element_load(x + i) * factor * element_load(weight + i));
	}
}

static void rms_norm(const union twin_argument *a, int64_t program, int64_t programs)
{
	rows_walk(a, a[ARG_BLOCKS].integer, program, programs, scale_rows);
}

static void rms_norm_work(const union twin_argument *a, int64_t program, int64_t programs,
			  struct twin_work *out)
{
	rows_work(a[ARG_BLOCKS].integer, program, programs, a[ARG_N].integer, 1, 5, out);
}

static int64_t rms_norm_output(const union twin_argument *a, int64_t *partial_bytes)
{
	return rows_output(a[ARG_M].integer, a[ARG_N].integer, partial_bytes);
}

TWIN_BINARY({.name = "rms_norm",
	     .mix_mode = "aiv",
	     .arguments = "ppowwfq",
	     .run = rms_norm,
	     .work = rms_norm_work,
	     .output = rms_norm_output,
	     .ub_bytes = 4 * BLOCK_M * BLOCK_N,
	     .pure = 1});
