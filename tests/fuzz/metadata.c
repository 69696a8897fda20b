/* Any text as what a compiler tells of an artifact: it completes a plan, or is refused and leaves
 * the plan as it was.
 * covers: plan_metadata.c */
#include "tuner/workload/binding/plan_metadata.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"
#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding.h"

static bool holds(const struct plan *p)
{
	bool good = p->n_arguments <= PLAN_MAX_ARGUMENTS && p->block[0] >= 1 &&
		    p->shared_bytes >= 0 && memchr(p->entry, '\0', sizeof p->entry);

	for (size_t i = 0; good && i < p->n_arguments; i++)
		good = p->arguments[i].tensor < 2 && p->arguments[i].bytes >= 0 &&
		       p->arguments[i].type < DTYPE_COUNT;
	return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct plan given = {
		.grid = {8, 8, 1},
		.block = {1, 1, 1},
		.n_arguments = 3,
		.arguments = {{.kind = ARG_TENSOR},
			      {.kind = ARG_TENSOR_MAP, .tensor = 1, .rank = 2, .shape = {64, 32}},
			      {.kind = ARG_SCALAR, .scalar = {VALUE_INT, .i = 16}}}};
	struct plan plan = given;
	struct buf text = {0};
	struct asc_err e;

	buf_add(&text, data, size);
	if (plan_complete(buf_str(&text), &plan, &e) && memcmp(&plan, &given, sizeof plan) != 0)
		abort();
	if (!holds(&plan))
		abort();
	buf_fini(&text);
	return 0;
}
