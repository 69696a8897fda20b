/* CUDA kernels are compiled for a named architecture, where libnvrtc is; no GPU is needed. This
 * program is its own compile process.
 * covers: nvrtc.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"
#include "tuner/build/nvrtc_compile.h"
#include "tuner/build/pool.h"
#include "tuner/process/proc.h"

#define LIMIT_NS INT64_C(60000000000)

static char cache[300];

/* ---- the text that is compiled ---- */

static void check_splice(const char *what, const char *source, const char *want)
{
	struct buf text = {0};

	nvrtc_splice(source, "k.cu", "#define A 1\n", &text);
	tap_str(buf_str(&text), want, "macros: %s", what);
	buf_fini(&text);
}

static void test_splice(void)
{
#define END "\n#line 1 \"arguments\"\nASCTUNE_CHECKS\n"
	check_splice("before everything", "int x;\n",
		     "#define A 1\n#line 1 \"k.cu\"\nint x;\n" END);
	check_splice(
		"after headers of the system, not those of the source",
		"/* c\n#if */ // d\n#include <a.h>\n\n#include <b.h>\n#include \"c.h\"\nint x;\n",
		"/* c\n#if */ // d\n#include <a.h>\n\n#include <b.h>\n#define A 1\n"
		"#line 6 \"k.cu\"\n#include \"c.h\"\nint x;\n" END);
	check_splice(
		"before a condition, although headers follow",
		"#pragma once\n#if A\n#include <a.h>\n#endif\n",
		"#pragma once\n#define A 1\n#line 2 \"k.cu\"\n#if A\n#include <a.h>\n#endif\n" END);
	check_splice("a source of one line without an end", "#include <a.h>",
		     "#include <a.h>\n#define A 1\n#line 1 \"k.cu\"\n" END);
	check_splice("a comment without an end", "/* c", "#define A 1\n#line 1 \"k.cu\"\n/* c" END);
#undef END
}

/* ---- one request ---- */

static void request_init(struct build_request *r, const char *source, const char *width,
			 const char *arch)
{
	char *path = path_join(TEST_DATA "/data/nvrtc", source);

	build_request_init(r, path, "scale", arch, "/proc/self/exe");
	build_request_define(r, "DTYPE_f16", "2");
	build_request_define(r, "DTYPE_T", "DTYPE_f16");
	build_request_define(r, "CTYPE_T", builder_find("nvrtc", NULL)->type_name(DTYPE_F16));
	build_request_define(r, "WIDTH", width);
	build_request_define(r, "SCALE", "0.5");
	build_request_add(r, &(struct build_argument){.kind = BUILD_TENSOR, .type = DTYPE_F16});
	build_request_add(r, &(struct build_argument){.kind = BUILD_TENSOR, .type = DTYPE_F32});
	build_request_add(r, &(struct build_argument){.kind = BUILD_SCALAR, .type = DTYPE_I32});
	free(path);
}

static void build(const char *source, const char *width, const char *arch, struct pool_done *done)
{
	struct build_request r;
	struct pool *p = NULL;
	struct asc_err e;

	*done = (struct pool_done){0};
	request_init(&r, source, width, arch);
	if (pool_open(cache, 1, LIMIT_NS, &p, &e) ||
	    pool_submit(p, 1, builder_find("nvrtc", NULL), &r, &e) || !pool_take(p, -1, done))
		tap_ok(false, "%s: %s", source, e.text);
	pool_close(p);
}

static bool is_built(const struct pool_done *d)
{
	return d->artifact.outcome == ARTIFACT_BUILT;
}

static void check_refused(const char *source, const char *arch, const char *words)
{
	struct pool_done done;

	build(source, "64", arch, &done);
	tap_ok(!is_built(&done), "%s for %s is refused", source, arch);
	tap_has(done.reason ? done.reason : "", words, "in words");
	pool_done_fini(&done);
}

/* ---- tests ---- */

/* An ELF file for machine 190, NVIDIA CUDA (binutils, include/elf/common.h: EM_CUDA). */
static void check_cubin(const char *path)
{
	struct buf file = {0};
	struct asc_err e;

	if (file_read(path, 0, &file, &e))
		tap_ok(false, "%s", e.text);
	else if (tap_ok(file.len > 64 && memcmp(file.data, "\177ELF", 4) == 0, "it is an ELF file"))
		tap_int((unsigned char)file.data[18], 190, "of a GPU");
	buf_fini(&file);
}

static void test_artifact(void)
{
	struct pool_done first, again, other;

	build("kernel.cu", "64", "sm_90a", &first);
	if (!tap_ok(is_built(&first) && !first.cached, "a kernel is compiled without a GPU"))
		tap_note("%s", first.log ? first.log : first.reason);
	else
		check_cubin(first.artifact.path);
	tap_has(first.log ? first.log : "", "registers", "what it takes of the processor is kept");
	build("kernel.cu", "64", "sm_90a", &again);
	tap_ok(is_built(&again) && again.cached, "the same kernel is there a second time");
	tap_str(again.log ? again.log : "", first.log ? first.log : "none", "the log is kept too");
	build("kernel.cu", "128", "sm_90a", &other);
	tap_ok(is_built(&other) && !other.cached, "another macro makes another artifact");
	pool_done_fini(&other);
	build("kernel.cu", "64", "sm_80", &other);
	tap_ok(is_built(&other) && !other.cached, "so does another architecture");
	pool_done_fini(&other);
	pool_done_fini(&again);
	pool_done_fini(&first);
}

static void test_refusals(void)
{
	struct pool_done done;

	check_refused("refused.cu", "sm_90a", "refused.cu(3): error: identifier \"nothing\"");
	build("refused.cu", "64", "sm_90a", &done);
	tap_ok(!is_built(&done) && done.cached, "what was refused is not compiled again");
	pool_done_fini(&done);
	check_refused("missing.cu", "sm_90a", "cannot open source file");
	build("missing.cu", "64", "sm_90a", &done);
	tap_ok(!is_built(&done) && !done.cached, "unless something was not found");
	pool_done_fini(&done);
	check_refused("parameters.cu", "sm_90a",
		      "scale(): arguments[2] takes 4 bytes, the kernel's parameter another number");
	check_refused("fewer.cu", "sm_90a",
		      "scale(): the workload passes 3 arguments, the kernel takes 2");
	check_refused("kernel.cu", "sm_12", "invalid value for --gpu-architecture");
}

static void test_arguments(void)
{
	struct build_request r;
	struct build_command command;
	struct asc_err e = {0};

	request_init(&r, "kernel.cu", "64", "sm_90a");
	build_request_add(&r, &(struct build_argument){.kind = BUILD_BUILTIN, .type = DTYPE_I64});
	build_command_init(&command);
	builder_find("nvrtc", NULL)->command(&r, "/tmp", "/tmp/out", &command);
	tap_int(build_command_check(&command, &e), ASC_INPUT,
		"a number of a CPU's grid is no argument");
	tap_has(e.text, "argument 3", "the error names the argument");
	build_command_fini(&command);
	build_request_fini(&r);
}

/* In a process of its own, since a process opens the library once. */
static void test_absence(void)
{
	const char *const argv[] = {"/proc/self/exe", "check", NULL};
	struct buf said = {0};
	struct asc_err e;
	int status = -1;

	setenv("ASCTUNE_NVRTC", "/nowhere/libnvrtc.so", 1);
	if (proc_run(argv, NULL, LIMIT_NS, 4096, &said, &status, &e))
		tap_note("%s", e.text);
	tap_has(buf_str(&said), "/nowhere/libnvrtc.so: cannot open shared object file",
		"without the library the builder says why");
	unsetenv("ASCTUNE_NVRTC");
	buf_fini(&said);
}

static void test_compiling(void)
{
	char reason[300] = "";

	if (!builder_is_usable(builder_find("nvrtc", NULL), reason, sizeof reason)) {
		tap_skip("%s", reason);
		return;
	}
	const char *base = getenv("TMPDIR");
	snprintf(cache, sizeof cache, "%s/nvrtc-XXXXXX", base && *base ? base : "/tmp");
	if (!tap_ok(mkdtemp(cache), "there is a folder for the cache"))
		return;
	test_artifact();
	test_refusals();
	dir_remove(cache);
}

static int check(void)
{
	char reason[300] = "";

	puts(builder_is_usable(builder_find("nvrtc", NULL), reason, sizeof reason) ? "there"
										   : reason);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], NVRTC_COMMAND) == 0)
		return compile_serve(&nvrtc_service) ? 0 : 1;
	if (argc > 1)
		return check();
	test_splice();
	test_arguments();
	test_absence();
	test_compiling();
	return tap_done();
}
