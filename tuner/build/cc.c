/* C kernels for the CPU: the source and a generated asctune_launch() compiled together into a
 * shared object. */
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/cc_wrapper.h"
#include "tuner/build/compiler.h"

/* clang 14, which Ubuntu 22.04 has, refuses -march=native on ARM; gcc takes either. */
#if defined(__aarch64__)
#define NATIVE "-mcpu=native"
#else
#define NATIVE "-march=native"
#endif

/* Hidden symbols, because a shared object's visible functions may not be inlined; and errors where
 * C17 compilers only warn, because a wrong call would otherwise show up as a crash. */
static const char *const options[] = {"-std=gnu17",
				      "-O3",
				      NATIVE,
				      "-fPIC",
				      "-shared",
				      "-fvisibility=hidden",
				      "-fno-math-errno",
				      "-fopenmp-simd",
				      "-pthread",
				      "-Werror=implicit-function-declaration",
				      "-Werror=incompatible-pointer-types",
				      "-Werror=int-conversion",
				      NULL};

static void cc_options(const struct build_request *r, struct build_command *c)
{
	build_command_add_list(c, options);
	for (size_t i = 0; i < r->n_defines; i++)
		build_command_add(c, "-D%s=%s", r->defines[i].name, r->defines[i].value);
	build_command_add_list(c, (const char *const *)r->flags);
	if (!c->failure.status)
		(void)cc_wrapper_print(r, &c->input, &c->failure);
}

/* The source comes first by -include: its path is an argument, not a text in need of quoting. */
static void cc_command(const struct build_request *r, const char *folder, const char *output,
		       struct build_command *c)
{
	c->input_name = "launch.c";
	c->rule_name = "launch.d";
	compiler_add(c);
	cc_options(r, c);
	build_command_add(c, "-include");
	build_command_add(c, "%s", r->source);
	build_command_add(c, "-MD");
	build_command_add(c, "-MF%s/%s", folder, c->rule_name);
	build_command_add(c, "-MTartifact");
	build_command_add(c, "-o");
	build_command_add(c, "%s", output);
	build_command_add(c, "%s/%s", folder, c->input_name);
	build_command_add(c, "-lm");
}

static const char *const devices[] = {"cpu", NULL};

const struct builder_ops builder_cc = {
	.name = "cc",
	.summary = "C for the CPU, by the system's compiler",
	.suffix = ".so",
	.devices = devices,
	.type_name = dtype_ctype,
	.check = compiler_check,
	.toolchain = compiler_identity,
	.options = cc_options,
	.command = cc_command,
};
