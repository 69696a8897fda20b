/* C kernels for the CPU: the source and a generated asctune_launch() compiled together into a
 * shared object.
 *
 * A kernel sees as macros, beside what its flags define:
 *
 *     BLOCK_M=64              every build-stage parameter; truth values as 0 and 1
 *     DTYPE_f64=0 ...         a number for each element type
 *     DTYPE_T=DTYPE_f32       the type of the problem's dtype variable T, for #if
 *     CTYPE_T=float           and its C type (uint16_t for bf16 and f16)
 *
 * Sizes are arguments and launch-stage parameters are not seen at all, so one artifact serves all
 * problems of a type. The reference and fill functions get no macros of a problem: their tensors
 * are doubles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/sources.h"
#include "tuner/build/builders.h"
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

static enum asc_status add_types(const struct problem *p, struct build_command *c,
				 struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (int t = 0; t < DTYPE_COUNT && s == ASC_OK; t++)
		s = build_command_add(c, e, "-DDTYPE_%s=%d", dtype_name((enum dtype)t), t);
	for (size_t i = 0; i < p->n_dtypes && s == ASC_OK; i++) {
		const struct dtype_variable *v = &p->dtypes[i];
		s = cc_check_name("dtype variable", v->name, e);
		if (s == ASC_OK)
			s = build_command_add(c, e, "-DDTYPE_%s=DTYPE_%s", v->name,
					      dtype_name(v->dtype));
		if (s == ASC_OK)
			s = build_command_add(c, e, "-DCTYPE_%s=%s", v->name,
					      dtype_ctype(v->dtype));
	}
	return s;
}

static bool is_launch_stage(const struct implementation *i, const char *name)
{
	for (size_t k = 0; k < i->n_parameters; k++)
		if (strcmp(i->parameters[k].name, name) == 0)
			return i->parameters[k].stage == STAGE_LAUNCH;
	return false;
}

static enum asc_status add_parameter(struct build_command *c, const char *name, struct value v,
				     struct asc_err *e)
{
	char text[40];

	if (cc_check_name("parameter", name, e))
		return e->status;
	if (v.kind == VALUE_BOOL)
		v.kind = VALUE_INT;
	value_print(v, text, sizeof text);
	return build_command_add(c, e, "-D%s=%s", name, text);
}

static enum asc_status add_parameters(const struct build_job *job, struct build_command *c,
				      struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < job->config->n && s == ASC_OK; i++)
		if (!is_launch_stage(job->implementation, job->names[i]))
			s = add_parameter(c, job->names[i], job->config->values[i], e);
	return s;
}

/* Everything of the command that does not name a file. */
static enum asc_status add_options(const struct build_job *job, struct build_command *c,
				   struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; options[i] && s == ASC_OK; i++)
		s = build_command_add(c, e, "%s", options[i]);
	if (s == ASC_OK && job->implementation)
		s = add_types(job->binding->problem, c, e);
	if (s == ASC_OK && job->implementation && job->config)
		s = add_parameters(job, c, e);
	for (size_t i = 0; i < job->call->flags.n && s == ASC_OK; i++)
		s = build_command_add(c, e, "%s", job->call->flags.names[i]);
	return s;
}

/* The source comes first by -include: its path is an argument, not a text in need of quoting. */
static enum asc_status add_files(const char *source, const char *folder, const char *output,
				 struct build_command *c, struct asc_err *e)
{
	enum asc_status s = build_command_add(c, e, "-include");

	if (s == ASC_OK)
		s = build_command_add(c, e, "%s", source);
	if (s == ASC_OK)
		s = build_command_add(c, e, "-o");
	if (s == ASC_OK)
		s = build_command_add(c, e, "%s", output);
	if (s == ASC_OK)
		s = build_command_add(c, e, "%s/%s", folder, c->input_name);
	return s == ASC_OK ? build_command_add(c, e, "-lm") : s;
}

static enum asc_status source_path(const struct build_job *job, char **out, struct asc_err *e)
{
	*out = path_join(job->workload->folder, job->call->source);
	return *out ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status cc_command(const struct build_job *job, const char *folder,
				  const char *output, struct build_command *out, struct asc_err *e)
{
	char *source = NULL;
	enum asc_status s = source_path(job, &source, e);

	if (s == ASC_OK)
		s = compiler_add(out, e);
	if (s == ASC_OK)
		s = add_options(job, out, e);
	out->input_name = "launch.c";
	if (s == ASC_OK)
		s = cc_wrapper_print(job, &out->input, e);
	if (s == ASC_OK)
		s = add_files(source, folder, output, out, e);
	free(source);
	return s;
}

static enum asc_status hash_toolchain(struct hash *h, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s = compiler_identity(&text, e);

	if (s == ASC_OK)
		hash_add_str(h, buf_str(&text));
	buf_fini(&text);
	return s;
}

static enum asc_status hash_options(const struct build_job *job, struct hash *h, struct asc_err *e)
{
	struct build_command c;

	build_command_init(&c);
	enum asc_status s = add_options(job, &c, e);
	if (s == ASC_OK)
		s = cc_wrapper_print(job, &c.input, e);
	for (size_t i = 0; i < c.argc; i++)
		hash_add_str(h, c.argv[i]);
	hash_add_str(h, c.input);
	build_command_fini(&c);
	return s;
}

static enum asc_status cc_key(const struct build_job *job, struct hash *h, struct asc_err *e)
{
	char *source = NULL;
	enum asc_status s = source_path(job, &source, e);

	if (s == ASC_OK)
		s = hash_toolchain(h, e);
	hash_add_str(h, job->arch);
	if (s == ASC_OK)
		s = sources_hash(source, h, e);
	if (s == ASC_OK && job->plan)
		s = hash_options(job, h, e);
	free(source);
	return s;
}

static const char *const devices[] = {"cpu", NULL};

const struct builder_ops builder_cc = {
	.version = BUILDER_OPS_VERSION,
	.name = "cc",
	.summary = "C for the CPU, by the system's compiler",
	.suffix = ".so",
	.devices = devices,
	.check = compiler_check,
	.toolchain = compiler_identity,
	.command = cc_command,
	.key = cc_key,
};
