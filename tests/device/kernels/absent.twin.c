#include <stddef.h>

#include "../../../workloads/npu/twin.h"

static void absent(const union twin_argument *a, int64_t program, int64_t programs)
{
	int32_t *out = a[0].address;
	char *scratch = a[2].address;

	(void)program;
	(void)programs;
	for (int64_t i = 0; i < a[3].integer; i++)
		scratch[i] = (char)i;
	out[0] = a[1].address == NULL ? 1 : 2;
	out[1] = scratch[a[3].integer - 1];
}

static void absent_work(const union twin_argument *a, int64_t program, int64_t programs,
			struct twin_work *out)
{
	(void)program;
	(void)programs;
	out->written_bytes = (double)a[3].integer;
}

TWIN_BINARY({.name = "absent",
	     .mix_mode = "aiv",
	     .arguments = "oppq",
	     .run = absent,
	     .work = absent_work});
