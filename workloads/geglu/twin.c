/* Twin of kernel.py with WALK: the same blocks and parts of them. */
#include <math.h>
#include <stdint.h>

#include "../cpu/element.h"
#include "../npu/twin.h"

enum { ARG_A, ARG_B, ARG_OUT, ARG_COUNT, ARG_BLOCKS };

static void activate(const union twin_argument *a, int64_t start, int64_t end)
{
	const element *gates = a[ARG_A].address, *values = a[ARG_B].address;
	element *out = a[ARG_OUT].address;

	for (int64_t i = start; i < end; i++) {
		const float gate = element_load(gates + i);
		/* gelu(x) = x / (1 + exp(-2 u)), 2 u = 2 sqrt(2 / pi) (x + 0.044715 x^3) */
		const float gelu =
			gate /
			(1 + expf(-1.5957691216057308F * (gate + 0.044715F * gate * gate * gate)));

		element_store(out + i, gelu * element_load(values + i));
	}
}

static void geglu(const union twin_argument *a, int64_t program, int64_t programs)
{
	const int64_t count = a[ARG_COUNT].integer;

	for (int64_t block = program; block < a[ARG_BLOCKS].integer; block += programs)
		for (int64_t part = 0; part < BLOCK_SIZE; part += BLOCK_SIZE_SUB) {
			const int64_t start = block * BLOCK_SIZE + part,
				      end = start + BLOCK_SIZE_SUB;

			activate(a, start, end < count ? end : count);
		}
}

static void geglu_work(const union twin_argument *a, int64_t program, int64_t programs,
		       struct twin_work *out)
{
	const double own = (double)((a[ARG_BLOCKS].integer - program + programs - 1) / programs);

	out->steps = own * (double)BLOCK_SIZE / BLOCK_SIZE_SUB;
	out->read_bytes = own * 2 * BLOCK_SIZE * sizeof(element);
	out->written_bytes = own * BLOCK_SIZE * sizeof(element);
	out->vector_operations = own * 10 * BLOCK_SIZE;
}

static int64_t geglu_output(const union twin_argument *a, int64_t *partial_bytes)
{
	*partial_bytes = a[ARG_COUNT].integer % BLOCK_SIZE * (int64_t)sizeof(element);
	return a[ARG_COUNT].integer * (int64_t)sizeof(element);
}

/* UB as on 950, which needs less than 910B. */
TWIN_BINARY({.name = "geglu",
	     .mix_mode = "aiv",
	     .arguments = "ppoqq",
	     .run = geglu,
	     .work = geglu_work,
	     .output = geglu_output,
	     .ub_bytes = 2 * (int64_t)sizeof(element) * BLOCK_SIZE_SUB,
	     .pure = 1});
