/* Twin of kernel.py. */
#include "../npu/rotary.h"

enum { ARG_POSITIONS, ARG_QUERY, ARG_KEY, ARG_TABLE, ARG_QUERY_OUT, ARG_KEY_OUT, ARG_NUMBERS };

INLINE struct rotary rotary_of(const union twin_argument *a)
{
	return rotary_take(a[ARG_QUERY].address, a[ARG_KEY].address, a[ARG_QUERY_OUT].address,
			   a[ARG_KEY_OUT].address, a + ARG_NUMBERS, 0);
}

static void rotary_embedding(const union twin_argument *a, int64_t program, int64_t programs)
{
	const struct rotary r = rotary_of(a);
	const int64_t *positions = a[ARG_POSITIONS].address, groups = rotary_all_groups(&r);

	for (int64_t block = program; block < r.blocks; block += programs) {
		const int64_t token = block / groups;
		const element *angles =
			(const element *)a[ARG_TABLE].address + positions[token] * 2 * r.pairs;

		rotary_block(&r, token, block % groups, angles, angles + r.pairs);
	}
}

static void rotary_embedding_work(const union twin_argument *a, int64_t program, int64_t programs,
				  struct twin_work *out)
{
	const struct rotary r = rotary_of(a);

	rotary_work(&r, program, programs, out);
}

static int64_t rotary_embedding_output(const union twin_argument *a, int64_t *partial_bytes)
{
	const struct rotary r = rotary_of(a);

	return rotary_output(&r, partial_bytes);
}

TWIN_BINARY({.name = "rotary_embedding",
	     .mix_mode = "aiv",
	     .arguments = "ppppooqqqqqqqqq",
	     .run = rotary_embedding,
	     .work = rotary_embedding_work,
	     .output = rotary_embedding_output,
	     .ub_bytes = 2 * (int64_t)sizeof(element) * BLOCK_H * HALF,
	     .pure = 1});
