/* CUDA C++ kernels, compiled to machine code by NVRTC in processes of their own (nvrtc_compile).
 *
 * A kernel is an `extern "C" __global__` function; what it sees as macros: build/macros.h. They are
 * defined after the `#include <...>` lines at the head of the source. The text ends with a check
 * that the kernel's parameters are as many and as large as the workload's arguments: a launch would
 * not notice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/nvrtc_library.h"
#include "tuner/base/sources.h"
#include "tuner/build/builders.h"
#include "tuner/build/macros.h"
#include "tuner/build/nvrtc_compile.h"

static bool nvrtc_check(char *reason, size_t size)
{
	const struct nvrtc *n;
	struct asc_err e;

	if (nvrtc_open(&n, &e) == ASC_OK)
		return true;
	snprintf(reason, size, "%s", e.text);
	return false;
}

/* ---- macros ---- */

/* NVRTC has no <stdint.h>. */
static const char *cuda_type(enum dtype t)
{
	static const char *const types[DTYPE_COUNT] = {[DTYPE_F64] = "double",
						       [DTYPE_F32] = "float",
						       [DTYPE_F16] = "unsigned short",
						       [DTYPE_BF16] = "unsigned short",
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

static enum asc_status add_macro(void *to, const char *name, const char *value, struct asc_err *e)
{
	buf_print(to, "#define %s %s\n", name, value);
	return buf_check(to, e);
}

static enum asc_status print_size(const struct bound_argument *a, size_t i, struct buf *out,
				  struct asc_err *e)
{
	switch (a->kind) {
	case ARG_TENSOR:
	case ARG_SCRATCH: buf_add_str(out, "8"); break;
	case ARG_SCALAR: buf_print(out, "%zu", dtype_bytes(a->type)); break;
	case ARG_TENSOR_MAP: buf_add_str(out, "128"); break; /* CUtensorMap */
	case ARG_BUILTIN:
		return asc_err_set(e, ASC_INPUT,
				   "argument %zu: a GPU's kernel has block and thread numbers of "
				   "its own",
				   i);
	}
	return ASC_OK;
}

/* The words of a check, without what would end them. */
static void print_words(const struct build_job *job, size_t i, struct buf *out)
{
	struct buf name = {0};

	buf_print(&name, "%s(): arguments[%zu]", job->entry, i);
	if (i < job->call->n_arguments) {
		buf_add_str(&name, " (");
		argument_print(&job->call->arguments[i], &name);
		buf_add_char(&name, ')');
	}
	for (const char *c = buf_str(&name); *c; c++)
		buf_add_char(out, (char)(*c == '"'                               ? '\''
					 : *c == '\\' || (unsigned char)*c < ' ' ? ' '
										 : *c));
	out->failed |= name.failed;
	buf_fini(&name);
}

enum { MORE_COUNTED = 16 }; /* parameters, beyond the workload's arguments */

/* One check for each number that the kernel may take instead: the words cannot be worked out. */
static void print_count_checks(const struct build_job *job, struct buf *out)
{
	const size_t n = job->plan->n_arguments;

	for (size_t k = 0; k <= n + MORE_COUNTED; k++)
		if (k != n)
			buf_print(out,
				  " static_assert(asctune_call::count(%s) != %zu, \"%s(): the "
				  "workload passes %zu arguments, the kernel takes %zu\");",
				  job->entry, k, job->entry, n, k);
	buf_print(out,
		  " static_assert(asctune_call::count(%s) <= %zu, \"%s(): the workload passes %zu "
		  "arguments, the kernel takes more\");",
		  job->entry, n + MORE_COUNTED, job->entry, n);
}

static enum asc_status print_size_check(const struct build_job *job, size_t i, struct buf *out,
					struct asc_err *e)
{
	struct buf size = {0};
	enum asc_status s = print_size(&job->plan->arguments[i], i, &size, e);

	buf_print(out, " static_assert(asctune_call::is(%s, %zu, %zu, %s), \"", job->entry,
		  job->plan->n_arguments, i, buf_str(&size));
	print_words(job, i, out);
	buf_print(out, " takes %s bytes, the kernel's parameter another number\");",
		  buf_str(&size));
	buf_fini(&size);
	return s;
}

/* Templates, because a kernel's pointers may be to anything, const or not. Sizes are compared where
 * the number is right. */
static enum asc_status print_checks(const struct build_job *job, struct buf *out, struct asc_err *e)
{
	enum asc_status s = macros_check_name("entry", job->entry, e);

	buf_add_str(
		out,
		"#define " NVRTC_CHECKS " struct asctune_call { template <class... have> static "
		"__device__ constexpr unsigned long long count(void (*)(have...)) { return "
		"sizeof...(have); } template <class... have> static __device__ constexpr bool is("
		"void (*)(have...), unsigned long long n, int i, unsigned long long want) { "
		"const unsigned long long sizes[] = {sizeof(have)..., 0}; "
		"return sizeof...(have) != n || sizes[i] == want; } };");
	if (s == ASC_OK)
		print_count_checks(job, out);
	for (size_t i = 0; i < job->plan->n_arguments && s == ASC_OK; i++)
		s = print_size_check(job, i, out, e);
	buf_add_char(out, '\n');
	return s == ASC_OK ? buf_check(out, e) : s;
}

/* Heap string: everything that a configuration adds to the source. */
static enum asc_status print_macros(const struct build_job *job, char **out, struct asc_err *e)
{
	struct buf text = {0};
	const struct macro_sink macros = {add_macro, &text, cuda_type};
	enum asc_status s = macros_each(job, &macros, e);

	*out = NULL;
	if (s == ASC_OK)
		s = print_checks(job, &text, e);
	if (s == ASC_OK) {
		*out = buf_take(&text);
		s = *out ? ASC_OK : asc_err_nomem(e);
	}
	buf_fini(&text);
	return s;
}

/* ---- command and key ---- */

/* Machine code needs a real architecture; of a device it is the one with all its instructions. */
static enum asc_status check_arch(const char *arch, struct asc_err *e)
{
	if (strncmp(arch, "sm_", 3) == 0)
		return ASC_OK;
	return asc_err_set(e, ASC_INPUT, "NVRTC does not build for \"%s\": expected sm_NUMBER",
			   arch);
}

/* -lineinfo is for profilers; ptxas says what each kernel takes of the processor. */
static enum asc_status add_options(const struct build_job *job, struct build_command *c,
				   struct asc_err *e)
{
	static const char *const options[] = {"-std=c++17", "-lineinfo", "--ptxas-options=-v",
					      NULL};
	enum asc_status s = check_arch(job->arch, e);

	if (s == ASC_OK)
		s = build_command_add(c, e, "-arch=%s", job->arch);
	for (size_t i = 0; options[i] && s == ASC_OK; i++)
		s = build_command_add(c, e, "%s", options[i]);
	for (size_t i = 0; i < job->call->flags.n && s == ASC_OK; i++)
		s = build_command_add(c, e, "%s", job->call->flags.names[i]);
	return s;
}

/* What compiles the same wherever it lies: headers, and that NVRTC is to keep nothing (asctune's
 * own cache has one key and one size). */
static enum asc_status add_places(const char *source, struct build_command *c, struct asc_err *e)
{
	const struct nvrtc *n = NULL;
	char *folder = path_folder(source), *include = nvrtc_include();
	enum asc_status s = folder ? nvrtc_open(&n, e) : asc_err_nomem(e);

	if (s == ASC_OK)
		s = build_command_add(c, e, "-I%s", folder);
	if (s == ASC_OK && include)
		s = build_command_add(c, e, "-I%s", include);
	if (s == ASC_OK && nvrtc_caches(n))
		s = build_command_add(c, e, "-no-cache");
	free(folder);
	free(include);
	return s;
}

static enum asc_status add_all(const struct build_job *job, const char *source, const char *folder,
			       const char *output, struct build_command *c, struct asc_err *e)
{
	enum asc_status s = build_command_add(c, e, "%s", job->program);

	if (s == ASC_OK)
		s = build_command_add(c, e, NVRTC_COMMAND);
	c->n_resident = c->argc;
	if (s == ASC_OK)
		s = build_command_add(c, e, "%s", source);
	if (s == ASC_OK)
		s = build_command_add(c, e, "%s/%s", folder, c->input_name);
	if (s == ASC_OK)
		s = build_command_add(c, e, "%s", output);
	if (s == ASC_OK)
		s = add_options(job, c, e);
	return s == ASC_OK ? add_places(source, c, e) : s;
}

static enum asc_status nvrtc_command(const struct build_job *job, const char *folder,
				     const char *output, struct build_command *out,
				     struct asc_err *e)
{
	char *source = path_join(job->workload->folder, job->call->source);

	if (!source)
		return asc_err_nomem(e);
	out->input_name = "macros.h";
	enum asc_status s = print_macros(job, &out->input, e);
	if (s == ASC_OK)
		s = add_all(job, source, folder, output, out, e);
	free(source);
	return s;
}

static enum asc_status hash_options(const struct build_job *job, struct hash *h, struct asc_err *e)
{
	struct build_command c;

	build_command_init(&c);
	enum asc_status s = add_options(job, &c, e);
	if (s == ASC_OK)
		s = print_macros(job, &c.input, e);
	if (s == ASC_OK)
		build_command_hash(&c, h);
	build_command_fini(&c);
	return s;
}

static enum asc_status nvrtc_key(const struct build_job *job, struct hash *h, struct asc_err *e)
{
	char *source = path_join(job->workload->folder, job->call->source);
	enum asc_status s =
		source ? builder_hash_toolchain(&builder_nvrtc, h, e) : asc_err_nomem(e);

	hash_add_str(h, job->arch);
	if (s == ASC_OK)
		s = sources_hash(source, (const char *const *)job->call->flags.names, h, e);
	if (s == ASC_OK && job->plan)
		s = hash_options(job, h, e);
	free(source);
	return s;
}

static const char *const devices[] = {"cuda", NULL};

const struct builder_ops builder_nvrtc = {
	.version = BUILDER_OPS_VERSION,
	.name = "nvrtc",
	.summary = "CUDA C++ for NVIDIA GPUs, by NVRTC",
	.suffix = ".cubin",
	.devices = devices,
	.check = nvrtc_check,
	.toolchain = nvrtc_identity,
	.command = nvrtc_command,
	.key = nvrtc_key,
};
