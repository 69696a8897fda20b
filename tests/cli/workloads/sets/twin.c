/* The same kernels for the stand-in of an NPU; its model has a wrong one take less time, too. */
#include "../../../../workloads/npu/twin.h"

#define KERNEL static
#include "gather.h"

static void run(const union twin_argument *a, int64_t program, int64_t programs)
{
	(void)program;
	(void)programs;
	gather(a[0].address, a[1].address, a[2].address, a[3].address, a[4].integer);
}

static void work(const union twin_argument *a, int64_t program, int64_t programs,
		 struct twin_work *out)
{
	(void)a;
	(void)program;
	(void)programs;
	out->written_bytes = LIMIT ? 1024 : 1 << 20;
}

TWIN_BINARY({.name = "gather", .mix_mode = "aiv", .arguments = "pppoq", .run = run, .work = work});
