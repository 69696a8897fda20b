/* What a compiler tells completes a plan; what makes no sense is refused and changes nothing. */
#include "tuner/binding/plan_metadata.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/binding/binding.h"

/* Two tensors and a number. */
static struct plan given(void)
{
	return (struct plan){.grid = {8, 1, 1},
			     .block = {1, 1, 1},
			     .shared_bytes = 16,
			     .n_arguments = 3,
			     .arguments = {{.kind = ARG_TENSOR, .tensor = 0},
					   {.kind = ARG_TENSOR, .tensor = 1},
					   {.kind = ARG_SCALAR, .type = DTYPE_I32}}};
}

static void test_complete(void)
{
	struct plan p = given(), same = given();
	struct asc_err e;

	tap_int(plan_complete("", &p, &e), ASC_OK, "no metadata is fine");
	tap_ok(memcmp(&p, &same, sizeof p) == 0, "without metadata a plan stays as it is");
	tap_int(plan_complete("{}", &p, &e), ASC_OK, "empty metadata is fine");
	tap_ok(memcmp(&p, &same, sizeof p) == 0, "with empty metadata a plan stays as it is");
	tap_int(plan_complete("{\"block\":[128,2,1],\"shared\":0,\"scratch\":[256,0],"
			      "\"arguments\":[3,1,0,4]}",
			      &p, &e),
		ASC_OK, "metadata completes a plan");
	tap_ok(p.block[0] == 128 && p.block[1] == 2 && p.block[2] == 1 && p.shared_bytes == 0 &&
		       p.grid[0] == 8,
	       "block and shared memory are the compiler's, the grid is the workload's");
	tap_int((long)p.n_arguments, 4, "arguments that the kernel does not take are left out");
	tap_ok(p.arguments[0].kind == ARG_SCRATCH && p.arguments[0].bytes == 256 &&
		       p.arguments[1].tensor == 1 && p.arguments[2].tensor == 0 &&
		       p.arguments[3].kind == ARG_SCRATCH && p.arguments[3].bytes == 0,
	       "arguments and scratch buffers stand in the kernel's order");
	p = given();
	tap_int(plan_complete("{\"arguments\":[]}", &p, &e), ASC_OK, "a kernel may take nothing");
	tap_int((long)p.n_arguments, 0, "nothing is passed then");
}

static void check_refused(const char *text, const char *words)
{
	struct plan p = given(), same = given();
	struct asc_err e = {0};

	tap_int(plan_complete(text, &p, &e), ASC_INPUT, "%s is refused", text);
	tap_has(e.text, words, "%s: the reason names what is wrong", text);
	tap_ok(memcmp(&p, &same, sizeof p) == 0, "%s: the plan stays as it is", text);
}

int main(void)
{
	test_complete();
	check_refused("[]", "expected an object");
	check_refused("{\"blocks\":[1,1,1]}", "blocks");
	check_refused("{\"block\":[64]}", "the number of axes of block is 1");
	check_refused("{\"block\":[64,0,1]}", "block is 0, expected 1 to 65536");
	check_refused("{\"block\":[1,1,1.5]}", "block[2]");
	check_refused("{\"shared\":-2}", "shared is -2");
	check_refused("{\"scratch\":[-1]}", "scratch is -1");
	check_refused("{\"scratch\":8}", "scratch");
	check_refused("{\"arguments\":[0,0]}", "arguments[1] is 0");
	check_refused("{\"block\":[64,1,1],\"arguments\":[3]}", "arguments[0] is 3");
	check_refused("{\"arguments\":[-1]}", "arguments[0] is -1");
	check_refused("{} {}", "metadata");
	check_refused(
		"{\"scratch\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
		"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}",
		"62 scratch buffers, at most 64");
	return tap_done();
}
