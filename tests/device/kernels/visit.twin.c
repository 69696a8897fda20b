/* Counts each program in a cell of its own; counts[24] becomes 1 for one that is outside. */
#include "../../../workloads/npu/twin.h"

static void visit(const union twin_argument *a, int64_t program, int64_t programs)
{
	int32_t *counts = a[0].address;

	if (program < 0 || program >= programs || program >= 24)
		counts[24] = 1;
	else
		counts[program]++;
}

static void visit_work(const union twin_argument *a, int64_t program, int64_t programs,
		       struct twin_work *out)
{
	(void)a;
	(void)program;
	(void)programs;
	out->written_bytes = sizeof(int32_t);
}

TWIN_BINARY(
	{.name = "visit", .mix_mode = "aiv", .arguments = "o", .run = visit, .work = visit_work});
