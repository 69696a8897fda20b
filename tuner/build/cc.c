/* C for the CPU. Kernels: the source and a generated asctune_launch() compiled together into a
 * shared object. Twins of kernels for an NPU: the source alone. */
#include <string.h>

#include "tuner/build/allowed_flags.h"
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

static void add_options(const struct build_request *r, struct build_command *c)
{
	build_command_add_list(c, options);
	for (size_t i = 0; i < r->n_defines; i++)
		build_command_add(c, "-D%s=%s", r->defines[i].name, r->defines[i].value);
	build_command_add_list(c, (const char *const *)r->flags);
}

static void cc_options(const struct build_request *r, struct build_command *c)
{
	add_options(r, c);
	if (!c->failure.status)
		(void)cc_wrapper_print(r, &c->input, &c->failure);
}

/* Adds what names the files: __FILE__ begins at the source's folder, because an artifact in the
 * cache serves copies of the source wherever they are. */
static void add_files(const struct build_request *r, const char *folder, const char *output,
		      struct build_command *c)
{
	const char *name = strrchr(r->source, '/');

	if (name)
		build_command_add(c, "-fmacro-prefix-map=%.*s=", (int)(name + 1 - r->source),
				  r->source);
	c->rule_name = "launch.d";
	build_command_add(c, "-MD");
	build_command_add(c, "-MF%s/%s", folder, c->rule_name);
	build_command_add(c, "-MTartifact");
	build_command_add(c, "-o");
	build_command_add(c, "%s", output);
}

/* The source comes first by -include: its path is an argument, not a text in need of quoting. */
static void cc_command(const struct build_request *r, const char *folder, const char *output,
		       struct build_command *c)
{
	c->input_name = "launch.c";
	compiler_add(c);
	cc_options(r, c);
	build_command_add(c, "-include");
	build_command_add(c, "%s", r->source);
	add_files(r, folder, output, c);
	build_command_add(c, "%s/%s", folder, c->input_name);
	build_command_add(c, "-lm");
}

/* A twin's table of kernels names the one SoC that the binary is for. */
static void twin_options(const struct build_request *r, struct build_command *c)
{
	add_options(r, c);
	build_command_add(c, "-DTWIN_SOC=%s", r->arch);
}

static void twin_command(const struct build_request *r, const char *folder, const char *output,
			 struct build_command *c)
{
	compiler_add(c);
	twin_options(r, c);
	add_files(r, folder, output, c);
	build_command_add(c, "%s", r->source);
	build_command_add(c, "-lm");
}

/* No flag here makes gcc or clang run a program, load a library of the workload's, or read or write
 * a file by name. */
static const struct allowed_flag allowed[] = {
	{"-O", ALLOWED_ALONE},
	{"-O0", ALLOWED_ALONE},
	{"-O1", ALLOWED_ALONE},
	{"-O2", ALLOWED_ALONE},
	{"-O3", ALLOWED_ALONE},
	{"-Os", ALLOWED_ALONE},
	{"-Ofast", ALLOWED_ALONE},
	{"-std=", ALLOWED_WORD},
	{"-D", ALLOWED_MACRO},
	{"-U", ALLOWED_MACRO},
	{"-I", ALLOWED_PLACE},
	{"-iquote", ALLOWED_PLACE},
	{"-isystem", ALLOWED_PLACE},
	{"-idirafter", ALLOWED_PLACE},
	{"-include", ALLOWED_PLACE},
	{"-l", ALLOWED_PAIR},
	{"-pthread", ALLOWED_ALONE},
	{"-g", ALLOWED_ALONE},
	{"-w", ALLOWED_ALONE},
	{"-W", ALLOWED_WORD},
	{"--param", ALLOWED_PAIR},
	{"--param=", ALLOWED_WORD},
	{"-march=", ALLOWED_WORD},
	{"-mcpu=", ALLOWED_WORD},
	{"-mtune=", ALLOWED_WORD},
	{"-mfpmath=", ALLOWED_WORD},
	{"-mprefer-vector-width=", ALLOWED_WORD},
	{"-msve-vector-bits=", ALLOWED_WORD},
	{"-mrecip", ALLOWED_WORD},
	{"-mno-", ALLOWED_WORD},
	{"-msse", ALLOWED_WORD},
	{"-mavx", ALLOWED_WORD},
	{"-mamx", ALLOWED_WORD},
	{"-mfma", ALLOWED_ALONE},
	{"-mf16c", ALLOWED_ALONE},
	{"-mbmi", ALLOWED_WORD},
	{"-mlzcnt", ALLOWED_ALONE},
	{"-mpopcnt", ALLOWED_ALONE},
	{"-fno-", ALLOWED_WORD},
	{"-ffast-math", ALLOWED_ALONE},
	{"-fassociative-math", ALLOWED_ALONE},
	{"-freciprocal-math", ALLOWED_ALONE},
	{"-ffinite-math-only", ALLOWED_ALONE},
	{"-funsafe-math-optimizations", ALLOWED_ALONE},
	{"-frounding-math", ALLOWED_ALONE},
	{"-fsingle-precision-constant", ALLOWED_ALONE},
	{"-ffp-contract=", ALLOWED_WORD},
	{"-fexcess-precision=", ALLOWED_WORD},
	{"-fopenmp", ALLOWED_ALONE},
	{"-fopenmp-simd", ALLOWED_ALONE},
	{"-fstrict-aliasing", ALLOWED_ALONE},
	{"-fwrapv", ALLOWED_ALONE},
	{"-fomit-frame-pointer", ALLOWED_ALONE},
	{"-finline-", ALLOWED_WORD},
	{"-funroll-", ALLOWED_WORD},
	{"-fpeel-loops", ALLOWED_ALONE},
	{"-fsplit-loops", ALLOWED_ALONE},
	{"-funswitch-loops", ALLOWED_ALONE},
	{"-fprefetch-loop-arrays", ALLOWED_ALONE},
	{"-floop-", ALLOWED_WORD},
	{"-ftree-", ALLOWED_WORD},
	{"-fgcse-", ALLOWED_WORD},
	{"-fipa-", ALLOWED_WORD},
	{"-fsched", ALLOWED_WORD},
	{"-falign-", ALLOWED_WORD},
	{"-fvectorize", ALLOWED_ALONE},
	{"-fslp-vectorize", ALLOWED_ALONE},
	{"-fvect-cost-model=", ALLOWED_WORD},
	{"-fsimd-cost-model=", ALLOWED_WORD},
	{NULL, ALLOWED_ALONE},
};

static const char *const devices[] = {"cpu", NULL};

const struct builder_ops builder_cc = {
	.name = "cc",
	.summary = "C for the CPU, by the system's compiler",
	.suffix = ".so",
	.devices = devices,
	.type_name = dtype_ctype,
	.toolchain = compiler_identity,
	.options = cc_options,
	.command = cc_command,
	.allowed = allowed,
	.folders = compiler_folders,
};

static const char *const twin_devices[] = {"npu", NULL};

const struct builder_ops builder_twin = {
	.name = "twin",
	.summary = "C twins of kernels for an NPU, for the stand-in",
	.suffix = ".so",
	.devices = twin_devices,
	.type_name = dtype_ctype,
	.toolchain = compiler_identity,
	.options = twin_options,
	.command = twin_command,
	.allowed = allowed,
	.folders = compiler_folders,
};
