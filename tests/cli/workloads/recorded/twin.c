/* The same kernels for the stand-in of an NPU. */
#include "../../../../workloads/npu/twin.h"

#define KERNEL static
#include "rows.h"

static void run(const union twin_argument *a, int64_t program, int64_t programs)
{
	(void)program;
	(void)programs;
	rows(a[0].address, a[1].address, a[2].address, a[3].address, a[4].integer, a[5].integer);
}

static void work(const union twin_argument *a, int64_t program, int64_t programs,
		 struct twin_work *out)
{
	(void)a;
	(void)program;
	(void)programs;
	out->written_bytes = 128;
}

TWIN_BINARY({.name = "rows", .mix_mode = "aiv", .arguments = "ppppqq", .run = run, .work = work});
