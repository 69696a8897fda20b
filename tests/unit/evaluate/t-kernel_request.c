/* What a builder is asked for a kernel of a workload: macros for types and build-stage parameters,
 * and the types of arguments; the reference sees doubles and no macros.
 * covers: kernel_request.c build_request.c python_builder.c */
#include "tuner/tune/evaluate/kernel_request.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/build/builder.h"
#include "tuner/workload/binding/binding.h"

static const char *const names[] = {"WIDTH", "PACKED", "SCALE", "THREADS"};
static struct parameter parameters[] = {{.name = "WIDTH"},
					{.name = "PACKED"},
					{.name = "SCALE"},
					{.name = "THREADS", .stage = STAGE_LAUNCH}};
static struct dtype_variable dtypes[] = {{"T", DTYPE_F16}};
static struct bound_tensor tensors[] = {{.present = true, .dtype = DTYPE_F16}};
static const struct problem problem = {.dtypes = dtypes, .n_dtypes = 1};
static const struct workload workload = {.folder = (char[]){"/w"}, .n_tensors = 1};
static const struct binding binding = {
	.workload = &workload, .problem = &problem, .tensors = tensors};
static const struct implementation implementation = {.parameters = parameters, .n_parameters = 4};
static struct argument arguments[] = {{.kind = ARG_TENSOR, .tensor_name = "x"}};
static struct constant constants[] = {
	{.name = "TWICE", .kind = CONSTANT_FORMULA, .formula = {.text = "2 * WIDTH"}},
	{.name = "KIND", .kind = CONSTANT_FORMULA, .formula = {.text = "'plain'"}},
	{.name = "WIDE", .kind = CONSTANT_TRUTH, .truth = true},
	{.name = "MASK", .kind = CONSTANT_NULL},
	{.name = "TYPE", .kind = CONSTANT_DTYPE, .dtype = "T"}};
static const char *flags[] = {"-g", NULL};
static const struct callable call = {.source = "k.c",
				     .entry = {.list = {{.device = "cpu", .name = "f"}}, .n = 1},
				     .arguments = arguments,
				     .n_arguments = 1,
				     .constants = constants,
				     .n_constants = 5,
				     .flags = {.names = flags, .n = 1}};
static const struct plan plan = {.n_arguments = 4,
				 .arguments = {{.kind = ARG_TENSOR},
					       {.kind = ARG_SCALAR, .type = DTYPE_I32},
					       {.kind = ARG_SCRATCH},
					       {.kind = ARG_BUILTIN}}};
static const struct config config = {.n = 4,
				     .values = {{VALUE_INT, .i = 16},
						{VALUE_BOOL, .i = 1},
						{VALUE_REAL, .r = 2},
						{VALUE_INT, .i = 8}}};

/* NULL: there is no such macro. */
static const char *macro(const struct build_request *r, const char *name)
{
	for (size_t i = 0; i < r->n_defines; i++)
		if (strcmp(r->defines[i].name, name) == 0)
			return r->defines[i].value;
	return NULL;
}

static void test_kernel(const char *builder, const char *type)
{
	const struct kernel_source k = {.binding = &binding,
					.call = &call,
					.implementation = &implementation,
					.config = &config,
					.names = names,
					.plan = &plan,
					.device = "cpu",
					.arch = "a"};
	struct build_request r;
	struct asc_err e;

	kernel_request(builder_find(builder, NULL), &k, &r);
	tap_int(build_request_check(&r, &e), ASC_OK, "%s: a request", builder);
	tap_str(r.source, "/w/k.c", "the source is a path");
	tap_str(r.entry, "f", "the entry is the device's");
	tap_str(r.flags[0], "-g", "flags of the workload are there");
	tap_str(macro(&r, "DTYPE_T"), "DTYPE_f16", "a dtype variable is a macro");
	tap_ok(macro(&r, "DTYPE_f16") && strcmp(macro(&r, "DTYPE_f16"), macro(&r, "DTYPE_bf16")),
	       "element types have numbers of their own");
	tap_str(macro(&r, "CTYPE_T"), type, "%s: the language's type is a macro", builder);
	tap_str(macro(&r, "WIDTH"), "16", "a parameter is a macro");
	tap_str(macro(&r, "PACKED"), "1", "a truth value is 1");
	tap_str(macro(&r, "SCALE"), "2.0", "a real parameter stays one");
	tap_str(macro(&r, "TWICE"), "32", "a constant's formula is worked out");
	tap_str(macro(&r, "KIND"), "plain", "a constant may be a text");
	tap_str(macro(&r, "WIDE"), "1", "a constant that is true is 1");
	tap_ok(!macro(&r, "MASK"), "a null is no macro");
	tap_str(macro(&r, "TYPE"), type, "%s: a dtype is the language's type", builder);
	tap_ok(!macro(&r, "THREADS"), "a launch-stage parameter is not seen");
	tap_ok(r.n_arguments == 4 && r.arguments[0].kind == BUILD_TENSOR &&
		       r.arguments[0].type == DTYPE_F16 && r.arguments[1].kind == BUILD_SCALAR &&
		       r.arguments[1].type == DTYPE_I32 && r.arguments[2].kind == BUILD_SCRATCH &&
		       r.arguments[3].kind == BUILD_BUILTIN && r.arguments[3].type == DTYPE_I64,
	       "arguments have their kinds and types");
	tap_str(r.arguments[0].words, "tensor x", "an argument has the workload's words");
	build_request_fini(&r);
}

static void check_artifact(const char *builder, const char *source, const char *expected,
			   const char *keyed)
{
	const struct callable c = {.source = source,
				   .builder = builder,
				   .entry = {.list = {{.name = strrchr(source, ':') + 1}}, .n = 1}};
	const struct kernel_source k = {.binding = &binding, .call = &c, .device = "npu"};
	struct build_request r;
	struct asc_err e;
	char *artifact = kernel_artifact(&k);

	tap_str(artifact, expected, "what a device loads for %s", source);
	free(artifact);
	kernel_request(builder_find(builder, "npu"), &k, &r);
	tap_int(build_request_check(&r, &e), ASC_OK, "a request, for its key");
	tap_str(r.source, keyed, "its source");
	tap_str(r.entry, strrchr(source, ':') + 1, "its function");
	build_request_fini(&r);
}

/* Functions of libraries, for which nothing is built. */
static void test_libraries(void)
{
	check_artifact("vendor", "aclnn:Add", "aclnn:Add", "aclnn:Add");
	check_artifact("python", "torch.nn.functional:softmax",
		       "python:torch.nn.functional:softmax", "torch.nn.functional:softmax");
	check_artifact("python", "own/eager.py:softmax", "python:/w/own/eager.py:softmax",
		       "/w/own/eager.py");
	check_artifact("python", "eager.py:Kernel.run", "python:/w/eager.py:Kernel.run",
		       "/w/eager.py");
}

/* Where a tensor begins, in a memory that begins at a multiple of 64. */
static void test_alignment(void)
{
	static const int64_t offsets[] = {0, 2, 8, 16, 24, 32};
	struct plan moved = plan;
	struct kernel_source k = {.binding = &binding,
				  .call = &call,
				  .implementation = &implementation,
				  .config = &config,
				  .names = names,
				  .plan = &moved,
				  .device = "cpu",
				  .arch = "a"};

	for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
		struct build_request r;

		moved.arguments[0].offset_bytes = offsets[i];
		kernel_request(builder_find("cc", NULL), &k, &r);
		tap_int(r.arguments[0].unaligned, offsets[i] % 16 != 0, "%d bytes behind",
			(int)offsets[i]);
		build_request_fini(&r);
	}
}

static void test_others(void)
{
	struct kernel_source k = {
		.binding = &binding, .call = &call, .plan = &plan, .device = "cpu", .arch = "a"};
	struct build_request r;
	struct asc_err e;

	kernel_request(builder_find("cc", NULL), &k, &r);
	tap_ok(r.n_defines == 0 && !r.shared, "the reference gets no macros");
	tap_ok(r.arguments[0].type == DTYPE_F64, "a tensor of the reference is of doubles");
	build_request_fini(&r);
	k.plan = NULL;
	kernel_request(builder_find("vendor", NULL), &k, &r);
	tap_str(r.source, "k.c", "what is not built has the source's own name");
	tap_ok(r.shared && r.n_arguments == 0, "without a plan the request is shared");
	build_request_fini(&r);
	k.device = "cuda";
	kernel_request(builder_find("cc", NULL), &k, &r);
	tap_int(build_request_check(&r, &e), ASC_INPUT, "no entry for the device is an error");
	build_request_fini(&r);
}

/* A suffix implies macros where the builder that it implies has them. */
static void test_macros(void)
{
	static const char *const list[][2] = {{"softmax.c", "cc"},
					      {"a.b/softmax.cu", "nvrtc"},
					      {"softmax.py", "triton"},
					      {"package.module:kernel", "triton"}};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		tap_int(workload_source_has_macros(list[i][0]),
			builder_find(list[i][1], NULL)->type_name != NULL, "macros of %s as %s",
			list[i][0], list[i][1]);
	tap_ok(!workload_source_has_macros("softmax.rs"), "no macros of an unknown language");
}

int main(void)
{
	test_kernel("cc", "uint16_t");
	test_kernel("nvrtc", "unsigned short");
	test_alignment();
	test_libraries();
	test_others();
	test_macros();
	return tap_done();
}
