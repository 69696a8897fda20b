/* Writes one byte at `at`, inside the tensor or not. */
#include "../../../workloads/npu/twin.h"

static void poke(const union twin_argument *a, int64_t program, int64_t programs)
{
	(void)program;
	(void)programs;
	((unsigned char *)a[0].address)[a[1].integer] = 7;
}

static void poke_work(const union twin_argument *a, int64_t program, int64_t programs,
		      struct twin_work *out)
{
	(void)a;
	(void)program;
	(void)programs;
	out->written_bytes = 1;
}

TWIN_BINARY({.name = "poke", .mix_mode = "aiv", .arguments = "oq", .run = poke, .work = poke_work});
