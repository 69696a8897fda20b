/* C kernels for the CPU: the source and a generated asctune_launch() compiled together into a
 * shared object. What a kernel sees as macros, beside what its flags define: build/macros.h. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/sources.h"
#include "tuner/build/builders.h"
#include "tuner/build/cc_wrapper.h"
#include "tuner/build/compiler.h"
#include "tuner/build/macros.h"

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

static enum asc_status add_macro(void *to, const char *name, const char *value, struct asc_err *e)
{
	return build_command_add(to, e, "-D%s=%s", name, value);
}

/* Everything of the command that does not name a file. */
static enum asc_status add_options(const struct build_job *job, struct build_command *c,
				   struct asc_err *e)
{
	const struct macro_sink macros = {add_macro, c, dtype_ctype};
	enum asc_status s = ASC_OK;

	for (size_t i = 0; options[i] && s == ASC_OK; i++)
		s = build_command_add(c, e, "%s", options[i]);
	if (s == ASC_OK)
		s = macros_each(job, &macros, e);
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
		s = build_command_add(c, e, "-MD");
	if (s == ASC_OK)
		s = build_command_add(c, e, "-MF%s/%s", folder, c->rule_name);
	if (s == ASC_OK)
		s = build_command_add(c, e, "-MTartifact");
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
	out->rule_name = "launch.d";
	if (s == ASC_OK)
		s = cc_wrapper_print(job, &out->input, e);
	if (s == ASC_OK)
		s = add_files(source, folder, output, out, e);
	free(source);
	return s;
}

static enum asc_status hash_options(const struct build_job *job, struct hash *h, struct asc_err *e)
{
	struct build_command c;

	build_command_init(&c);
	enum asc_status s = add_options(job, &c, e);
	if (s == ASC_OK)
		s = cc_wrapper_print(job, &c.input, e);
	if (s == ASC_OK)
		build_command_hash(&c, h);
	build_command_fini(&c);
	return s;
}

static enum asc_status cc_key(const struct build_job *job, struct hash *h, struct asc_err *e)
{
	char *source = NULL;
	enum asc_status s = source_path(job, &source, e);

	if (s == ASC_OK)
		s = builder_hash_toolchain(&builder_cc, h, e);
	hash_add_str(h, job->arch);
	if (s == ASC_OK)
		s = sources_hash(source, (const char *const *)job->call->flags.names, h, e);
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
