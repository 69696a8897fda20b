/* Twin of kernel.py. */
#define INTERLEAVED 0
#define OTHERS      0

#include "../npu/rotary.h"

enum { ARG_QUERY, ARG_KEY, ARG_COSINES, ARG_SINES, ARG_QUERY_OUT, ARG_KEY_OUT, ARG_NUMBERS };

INLINE struct rotary rotary_of(const union twin_argument *a)
{
	struct rotary r =
		rotary_take(a[ARG_QUERY].address, a[ARG_KEY].address, a[ARG_QUERY_OUT].address,
			    a[ARG_KEY_OUT].address, a + ARG_NUMBERS, 0);

	r.second = r.pairs;
	return r;
}

static void apply_rotary_pos_emb(const union twin_argument *a, int64_t program, int64_t programs)
{
	const struct rotary r = rotary_of(a);
	const element *cosines = a[ARG_COSINES].address, *sines = a[ARG_SINES].address;
	const int64_t groups = rotary_all_groups(&r);

	for (int64_t block = program; block < r.blocks; block += programs)
		rotary_block(&r, block / groups, block % groups, cosines + block / groups * r.d,
			     sines + block / groups * r.d);
}

static void apply_rotary_pos_emb_work(const union twin_argument *a, int64_t program,
				      int64_t programs, struct twin_work *out)
{
	const struct rotary r = rotary_of(a);

	rotary_work(&r, program, programs, out);
}

static int64_t apply_rotary_pos_emb_output(const union twin_argument *a, int64_t *partial_bytes)
{
	const struct rotary r = rotary_of(a);

	return rotary_output(&r, partial_bytes);
}

TWIN_BINARY({.name = "apply_rotary_pos_emb",
	     .mix_mode = "aiv",
	     .arguments = "ppppooqqqqqqqqq",
	     .run = apply_rotary_pos_emb,
	     .work = apply_rotary_pos_emb_work,
	     .output = apply_rotary_pos_emb_output,
	     .ub_bytes = 2 * (int64_t)sizeof(element) * BLOCK_H * HALF,
	     .pure = 1});
