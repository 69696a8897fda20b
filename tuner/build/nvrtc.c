/* CUDA C++ kernels, compiled to machine code by NVRTC in processes of their own (nvrtc_compile).
 *
 * A kernel is an `extern "C" __global__` function; its macros are
 * defined after the `#include <...>` lines at the head of the source. The text ends with a check
 * that the kernel's parameters are as many and as large as the workload's arguments: a launch would
 * not notice. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/allowed_flags.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/nvrtc_compile.h"
#include "tuner/device/libs/nvrtc_library.h"

/* ---- macros ---- */

/* NVRTC has no <stdint.h>. */
static const char *cuda_type(enum dtype t)
{
	static const char *const types[DTYPE_COUNT] = {[DTYPE_F64] = "double",
						       [DTYPE_F32] = "float",
						       [DTYPE_F16] = "unsigned short",
						       [DTYPE_BF16] = "unsigned short",
						       [DTYPE_F8E4M3] = "unsigned char",
						       [DTYPE_F8E5M2] = "unsigned char",
						       [DTYPE_I64] = "long long",
						       [DTYPE_I32] = "int",
						       [DTYPE_I16] = "short",
						       [DTYPE_I8] = "signed char",
						       [DTYPE_U64] = "unsigned long long",
						       [DTYPE_U32] = "unsigned",
						       [DTYPE_U16] = "unsigned short",
						       [DTYPE_U8] = "unsigned char",
						       [DTYPE_BOOL] = "bool"};

	return types[t];
}

/* Bytes of a parameter that takes the argument; 0: a GPU has none of that kind. */
static size_t argument_bytes(const struct build_argument *a)
{
	switch (a->kind) {
	case BUILD_TENSOR:
	case BUILD_SCRATCH: return 8;
	case BUILD_SCALAR: return dtype_bytes(a->type);
	case BUILD_TENSOR_MAP: return 128; /* CUtensorMap */
	case BUILD_BUILTIN: break;
	}
	return 0;
}

/* The words of a check, without what would end them. */
static void print_words(const struct build_request *r, size_t i, struct buf *out)
{
	struct buf name = {0};

	buf_print(&name, "%s(): arguments[%zu]", r->entry, i);
	if (r->arguments[i].words)
		buf_print(&name, " (%s)", r->arguments[i].words);
	for (const char *c = buf_str(&name); *c; c++)
		buf_add_char(out, (char)(*c == '"'                               ? '\''
					 : *c == '\\' || (unsigned char)*c < ' ' ? ' '
										 : *c));
	out->failed |= name.failed;
	buf_fini(&name);
}

enum { MORE_COUNTED = 16 }; /* parameters, beyond the workload's arguments */

/* One check for each number that the kernel may take instead: the words cannot be worked out. */
static void print_count_checks(const struct build_request *r, struct buf *out)
{
	const size_t n = r->n_arguments;

	for (size_t k = 0; k <= n + MORE_COUNTED; k++)
		if (k != n)
			buf_print(out,
				  " static_assert(asctune_call::count(%s) != %zu, \"%s(): the "
				  "workload passes %zu arguments, the kernel takes %zu\");",
				  r->entry, k, r->entry, n, k);
	buf_print(out,
		  " static_assert(asctune_call::count(%s) <= %zu, \"%s(): the workload passes %zu "
		  "arguments, the kernel takes more\");",
		  r->entry, n + MORE_COUNTED, r->entry, n);
}

static enum asc_status print_size_check(const struct build_request *r, size_t i, struct buf *out,
					struct asc_err *e)
{
	size_t bytes = argument_bytes(&r->arguments[i]);

	if (bytes == 0)
		return asc_err_set(e, ASC_INPUT,
				   "argument %zu: a GPU's kernel has block and thread numbers of "
				   "its own",
				   i);
	buf_print(out, " static_assert(asctune_call::is(%s, %zu, %zu, %zu), \"", r->entry,
		  r->n_arguments, i, bytes);
	print_words(r, i, out);
	buf_print(out, " takes %zu bytes, the kernel's parameter another number\");", bytes);
	return ASC_OK;
}

/* Templates, because a kernel's pointers may be to anything, const or not. Sizes are compared where
 * the number is right. */
static enum asc_status print_checks(const struct build_request *r, struct buf *out,
				    struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	if (!str_is_identifier(r->entry))
		return asc_err_set(e, ASC_INPUT, "entry \"%s\" is not an identifier of C",
				   r->entry);
	buf_add_str(
		out,
		"#define " NVRTC_CHECKS " struct asctune_call { template <class... have> static "
		"__device__ constexpr unsigned long long count(void (*)(have...)) { return "
		"sizeof...(have); } template <class... have> static __device__ constexpr bool is("
		"void (*)(have...), unsigned long long n, int i, unsigned long long want) { "
		"const unsigned long long sizes[] = {sizeof(have)..., 0}; "
		"return sizeof...(have) != n || sizes[i] == want; } };");
	print_count_checks(r, out);
	for (size_t i = 0; i < r->n_arguments && s == ASC_OK; i++)
		s = print_size_check(r, i, out, e);
	buf_add_char(out, '\n');
	return s == ASC_OK ? buf_check(out, e) : s;
}

/* Prints everything that a configuration adds to the source. */
static void add_macros(const struct build_request *r, struct build_command *c)
{
	struct buf text = {0};

	for (size_t i = 0; i < r->n_defines; i++)
		buf_print(&text, "#define %s %s\n", r->defines[i].name, r->defines[i].value);
	if (!c->failure.status && print_checks(r, &text, &c->failure) == ASC_OK)
		c->input = buf_take(&text);
	buf_fini(&text);
}

/* ---- command ---- */

/* -lineinfo is for profilers; ptxas says what each kernel takes of the processor. Machine code
 * needs a real architecture; of a device it is the one with all its instructions. */
static void nvrtc_options(const struct build_request *r, struct build_command *c)
{
	static const char *const options[] = {"-std=c++17", "-lineinfo", "--ptxas-options=-v",
					      NULL};

	if (strncmp(r->arch, "sm_", 3) != 0 && !c->failure.status)
		asc_err_set(&c->failure, ASC_INPUT,
			    "NVRTC does not build for \"%s\": expected sm_NUMBER", r->arch);
	build_command_add(c, "-arch=%s", r->arch);
	build_command_add_list(c, options);
	build_command_add_list(c, (const char *const *)r->flags);
	add_macros(r, c);
}

/* Adds what does not depend on the place: headers, and that NVRTC is to keep nothing (asctune's
 * own cache has one key and one size). */
static void add_places(const char *source, struct build_command *c)
{
	const struct nvrtc *n = NULL;
	char *folder = path_folder(source), *include = NULL;

	if (!folder)
		asc_err_nomem(&c->failure);
	else if (!c->failure.status && nvrtc_open(&n, &c->failure) == ASC_OK &&
		 nvrtc_include(&include, &c->failure) == ASC_OK) {
		build_command_add(c, "-I%s", folder);
		if (include)
			build_command_add(c, "-I%s", include);
		if (nvrtc_caches(n))
			build_command_add(c, "-no-cache");
	}
	free(folder);
	free(include);
}

static void nvrtc_server(const char *program, struct build_command *c)
{
	build_command_add(c, "%s", program);
	build_command_add(c, NVRTC_COMMAND);
	c->n_server = c->argc;
}

static void nvrtc_command(const struct build_request *r, const char *folder, const char *output,
			  struct build_command *c)
{
	c->input_name = "macros.h";
	nvrtc_server(r->program, c);
	build_command_add(c, "%s", r->source);
	build_command_add(c, "%s/%s", folder, c->input_name);
	build_command_add(c, "%s", output);
	nvrtc_options(r, c);
	add_places(r->source, c);
}

/* No flag here makes NVRTC read or write a file by name, but for headers of the workload's. */
static const struct allowed_flag allowed[] = {
	{"-D", ALLOWED_MACRO},
	{"--define-macro=", ALLOWED_MACRO},
	{"-U", ALLOWED_MACRO},
	{"--undefine-macro=", ALLOWED_MACRO},
	{"-I", ALLOWED_PLACE},
	{"--include-path=", ALLOWED_PLACE},
	{"-std=", ALLOWED_WORD},
	{"--std=", ALLOWED_WORD},
	{"-minimal", ALLOWED_ALONE},
	{"--minimal", ALLOWED_ALONE},
	{"-lineinfo", ALLOWED_ALONE},
	{"--generate-line-info", ALLOWED_ALONE},
	{"-use_fast_math", ALLOWED_ALONE},
	{"--use_fast_math", ALLOWED_ALONE},
	{"-ftz=", ALLOWED_WORD},
	{"--ftz=", ALLOWED_WORD},
	{"-prec-div=", ALLOWED_WORD},
	{"--prec-div=", ALLOWED_WORD},
	{"-prec-sqrt=", ALLOWED_WORD},
	{"--prec-sqrt=", ALLOWED_WORD},
	{"-fmad=", ALLOWED_WORD},
	{"--fmad=", ALLOWED_WORD},
	{"-maxrregcount=", ALLOWED_WORD},
	{"--maxrregcount=", ALLOWED_WORD},
	{"-extra-device-vectorization", ALLOWED_ALONE},
	{"--extra-device-vectorization", ALLOWED_ALONE},
	{"-restrict", ALLOWED_ALONE},
	{"--restrict", ALLOWED_ALONE},
	{"-default-device", ALLOWED_ALONE},
	{"--device-as-default-execution-space", ALLOWED_ALONE},
	{"-device-int128", ALLOWED_ALONE},
	{"--device-int128", ALLOWED_ALONE},
	{"-diag-suppress=", ALLOWED_WORD},
	{"--diag-suppress=", ALLOWED_WORD},
	{"-w", ALLOWED_ALONE},
	{"--disable-warnings", ALLOWED_ALONE},
	{"--ptxas-options=-O", ALLOWED_WORD},
	{"--ptxas-options=-dlcm=", ALLOWED_WORD},
	{"--ptxas-options=-dscm=", ALLOWED_WORD},
	{"--ptxas-options=--allow-expensive-optimizations=", ALLOWED_WORD},
	{NULL, ALLOWED_ALONE},
};

static const char *const devices[] = {"cuda", NULL};

const struct builder_ops builder_nvrtc = {
	.name = "nvrtc",
	.summary = "CUDA C++ for NVIDIA GPUs, by NVRTC",
	.suffix = ".cubin",
	.devices = devices,
	.type_name = cuda_type,
	.toolchain = nvrtc_identity,
	.server = nvrtc_server,
	.options = nvrtc_options,
	.command = nvrtc_command,
	.allowed = allowed,
};
