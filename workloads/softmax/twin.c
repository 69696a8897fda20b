/* Twin of kernel.py: the same blocks and parts of rows, the same sums that shrink. */
#include <math.h>
#include <stdint.h>

#include "../npu/rows.h"

#define LOG2_E 1.4426950408889634F
#define LEAST  (-3.0e38F)

enum { ARG_X, ARG_OUT, ARG_M, ARG_N, ARG_BLOCKS };

/* Largest element of a row and the sum of its weights, both by columns of parts first. */
struct row {
	float largest, total;
};

INLINE struct row row_sums(const element *x, int64_t n)
{
	float largest[BLOCK_N], sums[BLOCK_N] = {0};
	struct row row = {LEAST, 0};

	for (int64_t i = 0; i < BLOCK_N; i++)
		largest[i] = LEAST;
	for (int64_t start = 0; start < n; start += BLOCK_N) {
		const int64_t end = n - start < BLOCK_N ? n - start : BLOCK_N;

		for (int64_t i = 0; i < end; i++) {
			const float value = element_load(x + start + i),
				    now = value > largest[i] ? value : largest[i];

			sums[i] = sums[i] * exp2f((largest[i] - now) * LOG2_E) +
				  exp2f((value - now) * LOG2_E);
			largest[i] = now;
		}
	}
	for (int64_t i = 0; i < BLOCK_N; i++)
		row.largest = largest[i] > row.largest ? largest[i] : row.largest;
	for (int64_t i = 0; i < BLOCK_N; i++)
		row.total += sums[i] * exp2f((largest[i] - row.largest) * LOG2_E);
	return row;
}

static void normalise_rows(const union twin_argument *a, int64_t block)
{
	const int64_t n = a[ARG_N].integer, first = block * BLOCK_M;
	const int64_t end = first + BLOCK_M < a[ARG_M].integer ? first + BLOCK_M : a[ARG_M].integer;

	for (int64_t at = first; at < end; at++) {
		const element *x = (const element *)a[ARG_X].address + at * n;
		element *out = (element *)a[ARG_OUT].address + at * n;
		const struct row row = row_sums(x, n);

		for (int64_t i = 0; i < n; i++)
			element_store(out + i, exp2f((element_load(x + i) - row.largest) * LOG2_E) *
						       (1 / row.total));
	}
}

static void softmax(const union twin_argument *a, int64_t program, int64_t programs)
{
	rows_walk(a, a[ARG_BLOCKS].integer, program, programs, normalise_rows);
}

static void softmax_work(const union twin_argument *a, int64_t program, int64_t programs,
			 struct twin_work *out)
{
	rows_work(a[ARG_BLOCKS].integer, program, programs, a[ARG_N].integer, 0, WHOLE ? 6 : 10,
		  out);
}

static int64_t softmax_output(const union twin_argument *a, int64_t *partial_bytes)
{
	return rows_output(a[ARG_M].integer, a[ARG_N].integer, partial_bytes);
}

TWIN_BINARY({.name = "softmax",
	     .mix_mode = "aiv",
	     .arguments = "powwq",
	     .run = softmax,
	     .work = softmax_work,
	     .output = softmax_output,
	     .ub_bytes = 4 * BLOCK_M * BLOCK_N,
	     .pure = 1});
