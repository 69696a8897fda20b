/* What a compiler tells completes a plan; what makes no sense is refused and changes nothing.
 * covers: plan_metadata.c */
#include "tuner/workload/binding/plan_metadata.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/workload/binding/binding.h"

/* A tensor, a tensor map, two numbers and a buffer. */
static struct plan given(void)
{
	return (struct plan){
		.grid = {8, 3, 1},
		.block = {1, 1, 1},
		.cluster = {1, 1, 1},
		.shared_bytes = 16,
		.n_arguments = 5,
		.arguments = {
			{.kind = ARG_TENSOR, .tensor = 0, .type = DTYPE_F16, .rank = 1},
			{.kind = ARG_TENSOR_MAP,
			 .tensor = 1,
			 .type = DTYPE_BF16,
			 .rank = 3,
			 .shape = {5, 7, 64},
			 .strides = {1000, 128, 1},
			 .box = {1, 128, 64}},
			{.kind = ARG_SCALAR, .type = DTYPE_I64, .scalar = {VALUE_INT, .i = 40}},
			{.kind = ARG_SCALAR, .type = DTYPE_F64, .scalar = {VALUE_REAL, .r = 0.5}},
			{.kind = ARG_SCRATCH, .bytes = 4096}}};
}

static struct plan complete(const char *text)
{
	struct plan p = given();
	struct asc_err e = {0};

	tap_int(plan_complete(text, &p, &e), ASC_OK, "%.60s completes a plan: %s", text, e.text);
	return p;
}

static void test_nothing(void)
{
	const struct plan same = given();
	struct plan p = complete("");

	tap_ok(memcmp(&p, &same, sizeof p) == 0, "without metadata a plan stays as it is");
	p = complete("{\"options\":{\"num_warps\":4}}");
	tap_ok(memcmp(&p, &same, sizeof p) == 0, "options change nothing of a launch");
}

static void test_launch(void)
{
	struct plan p = complete("{\"entry\":\"_kernel_0\",\"threads\":128,\"shared\":0,"
				 "\"cluster\":[2,1,1],\"spread\":true,\"programmatic\":true,"
				 "\"prefers_shared\":true,\"cooperative\":false}");

	tap_str(p.entry, "_kernel_0", "the kernel's name in the artifact is the compiler's");
	tap_ok(p.block[0] == 128 && p.block[1] == 1 && p.block[2] == 1 && p.shared_bytes == 0,
	       "threads and shared memory are the compiler's");
	tap_ok(p.cluster[0] == 2 && p.grid[0] == 16 && p.grid[1] == 3,
	       "each block of the workload's grid is a cluster");
	tap_ok(p.spread && p.programmatic && p.prefers_shared && !p.cooperative,
	       "attributes are the compiler's");
	tap_int((long)p.n_arguments, 5, "without parameters the arguments stay");
}

static void test_parameters(void)
{
	struct plan p = complete(
		"{\"cluster\":[2,1,1],\"scratch\":{\"bytes\":384,\"align\":128},\"parameters\":["
		"{\"argument\":2,\"type\":\"i32\"},{\"argument\":0},"
		"{\"descriptor\":1,\"box\":[1,64,64],\"swizzle\":\"128B\"},"
		"{\"size\":1,\"axis\":1,\"type\":\"i32\"},{\"stride\":1,\"axis\":0,\"type\":"
		"\"i64\"},"
		"{\"stride\":1,\"axis\":2,\"type\":\"i64\"},{\"constant\":0,\"type\":\"u8\"},"
		"{\"argument\":3,\"type\":\"f32\"},{\"argument\":4},{\"scratch\":true}]}");
	const struct bound_argument *a = p.arguments;

	tap_int((long)p.n_arguments, 10, "a kernel may take more than the workload's arguments");
	tap_ok(a[0].kind == ARG_SCALAR && a[0].type == DTYPE_I32 && a[0].scalar.i == 40,
	       "a scalar has the type that the compiler chose");
	tap_ok(a[1].kind == ARG_TENSOR && a[1].tensor == 0, "a tensor is passed by its address");
	tap_ok(a[2].kind == ARG_TENSOR_MAP && a[2].tensor == 1 && a[2].box[1] == 64,
	       "a descriptor has the compiler's box");
	tap_str(a[2].swizzle, "128B", "a descriptor has the compiler's swizzle");
	tap_ok(a[3].type == DTYPE_I32 && a[3].scalar.i == 7, "a size is that of the axis");
	tap_ok(a[4].type == DTYPE_I64 && a[4].scalar.i == 1000,
	       "a stride is the tensor's, which is a view here");
	tap_int(a[5].scalar.i, 1, "the innermost one, too");
	tap_ok(a[6].kind == ARG_SCALAR && a[6].type == DTYPE_U8 && a[6].scalar.i == 0,
	       "a constant is passed as it is");
	tap_ok(a[7].type == DTYPE_F32 && a[7].scalar.r == 0.5, "a real stays one");
	tap_ok(a[8].kind == ARG_SCRATCH && a[8].bytes == 4096,
	       "a buffer of the workload's is passed");
	tap_ok(a[9].kind == ARG_SCRATCH && a[9].bytes == 16 * 3 * 384,
	       "scratch memory is for each block of each cluster");
}

static void test_plain(void)
{
	struct plan p = complete("{\"parameters\":[{\"argument\":1},{\"scratch\":true}]}");

	tap_ok(p.arguments[0].kind == ARG_TENSOR && p.arguments[0].tensor == 1,
	       "a descriptor that was lowered is an address");
	tap_ok(p.arguments[1].kind == ARG_SCALAR && p.arguments[1].type == DTYPE_U64 &&
		       p.arguments[1].scalar.i == 0,
	       "no scratch memory is a null pointer");
	p = complete("{\"parameters\":[]}");
	tap_int((long)p.n_arguments, 0, "a kernel may take nothing");
}

static void check_refused(const char *text, const char *words)
{
	struct plan p = given(), same = given();
	struct asc_err e = {0};

	tap_int(plan_complete(text, &p, &e), ASC_INPUT, "%.80s is refused", text);
	tap_has(e.text, words, "%.80s: the reason names what is wrong", text);
	tap_ok(memcmp(&p, &same, sizeof p) == 0, "%.80s: the plan stays as it is", text);
}

static void check_parameter(const char *parameter, const char *words)
{
	char text[200];

	snprintf(text, sizeof text, "{\"threads\":64,\"parameters\":[%s]}", parameter);
	check_refused(text, words);
}

static void test_refused(void)
{
	check_refused("[]", "expected an object");
	check_refused("{\"thread\":64}", "did you mean \"threads\"?");
	check_refused("{\"threads\":0}", "threads: is 0, expected 1 to 65536");
	check_refused("{\"threads\":1.5}", "threads");
	check_refused("{\"shared\":-2}", "shared: is -2");
	check_refused("{\"entry\":\"\"}", "entry: has 0 characters");
	check_refused("{\"cluster\":[2]}", "cluster: has 1 axes, expected 3");
	check_refused("{\"cluster\":[17,1,1]}", "cluster[0]: is 17");
	check_refused("{\"scratch\":{\"bytes\":1}}", "align");
	check_refused("{\"scratch\":{\"bytes\":1,\"align\":48}}", "expected a power of two");
	check_refused("{\"scratch\":{\"bytes\":1099511627776,\"align\":1},"
		      "\"parameters\":[{\"scratch\":true}]}",
		      "more than 2^40 bytes");
	check_refused("{} {}", "metadata");
}

static void test_refused_parameters(void)
{
	check_parameter("{\"argument\":5}", "is 5, expected 0 to 4");
	check_parameter("{\"argument\":-1}", "is -1");
	check_parameter("{\"argument\":0},{\"argument\":0}", "names argument 0 a second time");
	check_parameter("{\"argument\":2}", "needs the key \"type\"");
	check_parameter("{\"argument\":2,\"type\":\"f32\"}", "the workload passes i64");
	check_parameter("{\"argument\":3,\"type\":\"i32\"}", "the workload passes f64");
	check_parameter("{\"argument\":2,\"type\":\"int\"}", "unknown dtype");
	check_parameter("{\"constant\":256,\"type\":\"u8\"}", "256, which is no u8");
	check_parameter("{\"constant\":1,\"type\":\"f32\"}", "expected an integer's");
	check_parameter("{\"size\":1,\"axis\":3,\"type\":\"i32\"}", "expected 0 to 2");
	check_parameter("{\"size\":2,\"axis\":0,\"type\":\"i32\"}", "is no tensor");
	check_parameter("{\"descriptor\":1,\"box\":[1,64]}", "of 3 dimensions");
	check_parameter("{\"descriptor\":1,\"box\":[1,0,64]}", "box[1]: is 0");
	check_parameter("{\"descriptor\":1,\"box\":[1,1,1],\"swizzle\":\"8B\"}", "swizzle \"8B\"");
	check_parameter("{}", "expected one of argument");
	check_parameter("{\"scratch\":false}", "expected one of argument");
}

static void test_many(void)
{
	static char text[8192] = "{\"parameters\":[{\"constant\":0,\"type\":\"u8\"}";

	for (int i = 0; i < PLAN_MAX_ARGUMENTS; i++)
		strcat(text, ",{\"constant\":0,\"type\":\"u8\"}");
	strcat(text, "]}");
	check_refused(text, "has 129 parameters, expected at most 128");
}

int main(void)
{
	test_nothing();
	test_launch();
	test_parameters();
	test_plain();
	test_refused();
	test_refused_parameters();
	test_many();
	return tap_done();
}
