/* Twin of kernel.py. */
#include <string.h>

#include "../cpu/element.h"
#include "../npu/twin.h"

enum {
	ARG_KEY,
	ARG_VALUE,
	ARG_SLOTS,
	ARG_CACHE,
	ARG_N,
	ARG_KEY_STRIDE,
	ARG_VALUE_STRIDE,
	ARG_CACHE_SLOTS,
	ARG_BLOCKS
};

static void reshape_and_cache(const union twin_argument *a, int64_t program, int64_t programs)
{
	const CTYPE_S *slots = a[ARG_SLOTS].address;
	const int64_t n = a[ARG_N].integer;
	const size_t bytes = (size_t)n * sizeof(element);
	element *keys = a[ARG_CACHE].address, *values = keys + a[ARG_CACHE_SLOTS].integer * n;

	for (int64_t token = program; token < a[ARG_BLOCKS].integer; token += programs) {
		const element *key = a[ARG_KEY].address, *value = a[ARG_VALUE].address;

		if (slots[token] < 0)
			continue;
		memcpy(keys + slots[token] * n, key + token * a[ARG_KEY_STRIDE].integer, bytes);
		memcpy(values + slots[token] * n, value + token * a[ARG_VALUE_STRIDE].integer,
		       bytes);
	}
}

static void reshape_and_cache_work(const union twin_argument *a, int64_t program, int64_t programs,
				   struct twin_work *out)
{
	const int64_t n = a[ARG_N].integer;
	const double own = (double)((a[ARG_BLOCKS].integer - program + programs - 1) / programs);

	out->steps = own * (double)((n + BLOCK_N - 1) / BLOCK_N);
	out->read_bytes = out->written_bytes = own * 2 * (double)n * sizeof(element);
}

static int64_t reshape_and_cache_output(const union twin_argument *a, int64_t *partial_bytes)
{
	*partial_bytes = 0;
	return 2 * a[ARG_CACHE_SLOTS].integer * a[ARG_N].integer * (int64_t)sizeof(element);
}

TWIN_BINARY({.name = "reshape_and_cache",
	     .mix_mode = "aiv",
	     .arguments = "pppoqqqqq",
	     .run = reshape_and_cache,
	     .work = reshape_and_cache_work,
	     .output = reshape_and_cache_output,
	     .ub_bytes = (int64_t)sizeof(element) * BLOCK_N,
	     .pure = 1});
