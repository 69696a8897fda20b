/* Any text as what a compiler tells of an artifact: it completes a plan, or is refused and leaves
 * the plan as it was. */
#include "tuner/binding/plan_metadata.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"
#include "tuner/base/buf.h"
#include "tuner/binding/binding.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct plan given = {.block = {1, 1, 1}, .n_arguments = 2};
	struct plan plan = given;
	struct buf text = {0};
	struct asc_err e;

	buf_add(&text, data, size);
	if (plan_complete(buf_str(&text), &plan, &e) && memcmp(&plan, &given, sizeof plan) != 0)
		abort();
	if (plan.n_arguments > WORKLOAD_MAX_ARGUMENTS || plan.block[0] < 1 || plan.shared_bytes < 0)
		abort();
	buf_fini(&text);
	return 0;
}
