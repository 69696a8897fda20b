/* The same for the stand-in of an NPU. */
#include "../../../../workloads/npu/twin.h"

#define KERNEL static
#include "views.h"

static void run(const union twin_argument *a, int64_t program, int64_t programs)
{
	(void)program;
	(void)programs;
	views(a[0].address, a[1].address, a[2].address, a[3].address, a[4].address, a[5].address,
	      a[6].address, a[7].integer, a[8].integer, a[9].integer);
}

static void work(const union twin_argument *a, int64_t program, int64_t programs,
		 struct twin_work *out)
{
	(void)a;
	(void)program;
	(void)programs;
	out->written_bytes = 1;
}

TWIN_BINARY(
	{.name = "views", .mix_mode = "aiv", .arguments = "ppoppppqqq", .run = run, .work = work});
