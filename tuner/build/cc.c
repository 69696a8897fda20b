/* C for the CPU. Kernels: the source and a generated asctune_launch() compiled together into a
 * shared object. Twins of kernels for an NPU: the source alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/allowed_flags.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/cc_wrapper.h"
#include "tuner/process/guard.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

/* ---- the compiler ---- */

#define ANSWER_LIMIT_NS INT64_C(10000000000)

enum { ANSWER_BYTES = 65536 };

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* Adds the path of a program; false: there is none. Without memory the command has failed. */
static bool add_program(struct build_command *c, const char *name)
{
	char *path = proc_find(name);

	if (path)
		build_command_add(c, "%s", path);
	else if (errno == ENOMEM)
		asc_err_nomem(&c->failure);
	free(path);
	return path != NULL || c->failure.status == ASC_NOMEM;
}

static void add_setting(struct build_command *c, const char *setting)
{
	char *text = str_dup(setting), *rest = NULL;
	const char *word = text ? strtok_r(text, " ", &rest) : NULL;

	if (!text)
		asc_err_nomem(&c->failure);
	else if (!add_program(c, word))
		asc_err_set(&c->failure, ASC_ABSENT, "CC=%s: there is no program %s", setting,
			    word);
	else
		while ((word = strtok_r(NULL, " ", &rest)) != NULL)
			build_command_add(c, "%s", word);
	free(text);
}

static void compiler_add(struct build_command *c)
{
	static const char *const names[] = {"cc", "gcc", "clang", NULL};
	const char *setting = environment("CC");
	size_t i = 0;

	if (setting[strspn(setting, " ")]) {
		add_setting(c, setting);
		return;
	}
	while (names[i] && !add_program(c, names[i]))
		i++;
	if (!names[i])
		asc_err_set(&c->failure, ASC_ABSENT,
			    "no C compiler in PATH (looked for cc, gcc, clang)");
}

/* Runs the compiler with the words of `question`; its words are in `out`. */
static enum asc_status ask(struct build_command *c, const char *const *question, struct buf *out,
			   struct asc_err *e)
{
	char text[80], more[SANDBOX_EXPLANATION];
	int status = 0;
	/* A `char **` does not convert to `const char *const *` by itself, in C. */
	const char *argv[BUILD_MAX_ARGV] = {0};

	compiler_add(c);
	build_command_add_list(c, question);
	enum asc_status s = build_command_check(c, e);
	for (size_t i = 0; i < c->argc; i++)
		argv[i] = c->argv[i];
	/* A compiler that was killed is asked again. */
	for (int tries = 0; s == ASC_OK && (tries == 0 || (tries < 3 && WIFSIGNALED(status)));
	     tries++) {
		char *folder = NULL;

		buf_clear(out);
		/* A folder of its own, which compilers that are scripts may need; without one where
		 * none can be made. */
		(void)guard_make_scratch("asctune-ask", &folder, e);
		s = proc_run(argv, &(struct sandbox){.own = folder}, ANSWER_LIMIT_NS, ANSWER_BYTES,
			     out, &status, e);
		dir_remove(folder);
		free(folder);
	}
	if (s || status == 0)
		return s;
	return asc_err_set(e, ASC_CHILD, "%s %s %s%s%.*s%s", c->argv[0], c->argv[c->argc - 1],
			   proc_print_status(status, text, sizeof text), out->len ? ": " : "",
			   (int)strcspn(buf_str(out), "\n"), buf_str(out),
			   sandbox_explain(buf_str(out), more, sizeof more));
}

/* Appends the words of the command and the first line of what it says to `--version`. */
static enum asc_status ask_identity(struct buf *out, struct asc_err *e)
{
	static const char *const question[] = {"--version", NULL};
	struct build_command c;
	struct buf words = {0};

	build_command_init(&c);
	enum asc_status s = ask(&c, question, &words, e);
	for (size_t i = 0; i + 1 < c.argc && s == ASC_OK; i++)
		buf_print(out, "%s ", c.argv[i]);
	if (s == ASC_OK)
		buf_add(out, buf_str(&words), strcspn(buf_str(&words), "\n"));
	buf_fini(&words);
	build_command_fini(&c);
	return s;
}

/* Appends the lines, each ` FOLDER`, that gcc and clang print of where they look for headers. */
static enum asc_status ask_folders(struct buf *out, struct asc_err *e)
{
	static const char *const question[] = {"-E", "-v", "-x", "c", "/dev/null", NULL};
	struct build_command c;
	struct buf words = {0};

	build_command_init(&c);
	enum asc_status s = ask(&c, question, &words, e);
	const char *list = s ? NULL : strstr(buf_str(&words), "search starts here:\n");
	for (const char *line = list ? strchr(list, '\n') + 1 : ""; *line;) {
		size_t n = strcspn(line, "\n");
		if (*line == ' ')
			buf_print(out, "%.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
		if (strncmp(line, "End of", 6) == 0)
			break;
	}
	buf_fini(&words);
	build_command_fini(&c);
	return s;
}

/* The last answer of a kind and what it depends on: 200 configurations ask the same. */
struct answer {
	char *asked, *text;
};

static enum asc_status answer_add(struct answer *a,
				  enum asc_status (*find)(struct buf *out, struct asc_err *e),
				  struct buf *out, struct asc_err *e)
{
	char *asked = str_print("%s\n%s", environment("CC"), environment("PATH"));
	struct buf text = {0};

	if (!asked)
		return asc_err_nomem(e);
	if (a->asked && strcmp(a->asked, asked) == 0) {
		free(asked);
	} else {
		/* A failure is not remembered: the next call asks again. */
		if (find(&text, e) || buf_check(&text, e)) {
			free(asked);
			buf_fini(&text);
			return e->status;
		}
		free(a->asked);
		free(a->text);
		*a = (struct answer){asked, buf_take(&text)};
	}
	buf_add_str(out, a->text ? a->text : "");
	return buf_check(out, e);
}

static enum asc_status compiler_identity(struct buf *out, struct asc_err *e)
{
	static struct answer answer;

	return answer_add(&answer, ask_identity, out, e);
}

static enum asc_status compiler_folders(struct buf *out, struct asc_err *e)
{
	static struct answer answer;

	return answer_add(&answer, ask_folders, out, e);
}

/* ---- the builder ---- */

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
