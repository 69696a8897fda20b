/* Out of memory where toolchains are looked for: a compiler, NVRTC, the Triton of an interpreter;
 * and where an interpreter looks at a kernel and compiles it. Lack of memory is never taken for the
 * absence of something.
 * covers: builder.c cc.c nvrtc.c triton_python.c pool.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/build/folder.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/build/triton_kernel.h"

#define LIMIT_NS INT64_C(20000000000)

static enum asc_status find(const struct builder_ops *b, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s = b->toolchain(&text, e);

	if (s == ASC_OK && b->folders)
		s = b->folders(&text, e);
	if (s == ASC_OK && text.len == 0)
		s = asc_err_set(e, ASC_INTERNAL, "%s has no identity", b->name);
	buf_fini(&text);
	return s;
}

/* A setting that was not asked for before: answers are kept for each. */
static void set_anew(const char *name, const char *begin, const char *end)
{
	static int count;
	char text[500];

	snprintf(text, sizeof text, "%s%d%s", begin, ++count, end);
	setenv(name, text, 1);
}

static enum asc_status job_named(struct asc_err *e)
{
	set_anew("CC", "cc -DN=", "");
	return find(&builder_cc, e);
}

static enum asc_status job_searched(struct asc_err *e)
{
	unsetenv("CC");
	set_anew("PATH", "/nowhere/", ":/usr/bin:/bin");
	return find(&builder_cc, e);
}

static enum asc_status job_triton(struct asc_err *e)
{
	set_anew("PYTHONPATH", "/nowhere/", "");
	return find(&builder_triton, e);
}

static enum asc_status job_nvrtc(struct asc_err *e)
{
	return find(&builder_nvrtc, e);
}

/* The headers of the toolkit are there: a command without them is wrong. */
static enum asc_status job_nvrtc_command(struct asc_err *e)
{
	struct build_request r;
	struct build_command c;
	bool has_headers = false;

	build_request_init(&r, in_folder("k.cu"), "scale", "sm_90", "/proc/self/exe");
	enum asc_status s = build_request_check(&r, e);

	build_command_init(&c);
	if (s == ASC_OK)
		builder_nvrtc.command(&r, in_folder(""), in_folder("k.cubin"), &c);
	if (s == ASC_OK)
		s = build_command_check(&c, e);

	for (size_t i = 0; s == ASC_OK && i < c.argc; i++)
		has_headers |= strncmp(c.argv[i], "-I", 2) == 0 && strstr(c.argv[i], "/include");
	if (s == ASC_OK && !has_headers)
		s = asc_err_set(e, ASC_INTERNAL, "the command has no headers");
	build_command_fini(&c);
	build_request_fini(&r);
	return s;
}

static char words[] = "tensor x";
static const struct build_argument tensor = {
	.kind = BUILD_TENSOR, .type = DTYPE_F32, .words = words};

static enum asc_status job_nvrtc_key(struct asc_err *e)
{
	struct buf text = {0};
	struct json_writer w = {&text, false};
	struct build_request r;

	build_request_init(&r, in_folder("k.cu"), "scale", "sm_90", "/proc/self/exe");
	build_request_add_flag(&r, "-DA=1");
	build_request_define(&r, "WIDTH", "64");
	build_request_add(&r, &tensor);
	enum asc_status s = build_request_check(&r, e);

	if (s == ASC_OK)
		s = builder_write_options(&builder_nvrtc, &r, &w, e);
	if (s == ASC_OK)
		s = buf_check(&text, e);
	if (s == ASC_OK) {
		char key[HASH_TEXT_SIZE];
		struct hash h;

		hash_init(&h);
		builder_hash(&builder_nvrtc, &r, &h);
		s = hash_end(&h, key, e);
	}
	build_request_fini(&r);
	buf_fini(&text);
	return s;
}

/* A kernel that no job before has asked for. */
static enum asc_status begin_triton(struct build_request *r, struct asc_err *e)
{
	static int count;
	char entry[30];

	snprintf(entry, sizeof entry, "kernel%d", ++count);
	build_request_init(r, in_folder("k.py"), entry, "sm_90", "/proc/self/exe");
	build_request_define(r, "num_warps", "4");
	build_request_define(r, "multibuffer", "true");
	build_request_add(r, &tensor);
	return build_request_check(r, e);
}

static enum asc_status job_triton_kernel(struct asc_err *e)
{
	const char *digest = NULL;
	struct build_request r;
	enum asc_status s = begin_triton(&r, e);

	if (s == ASC_OK)
		s = builder_triton.digest(&r, &digest, e);
	if (s == ASC_OK && strcmp(digest ? digest : "", "sum") != 0)
		s = asc_err_set(e, ASC_INTERNAL, "the kernel has no digest");
	if (s == ASC_OK)
		s = builder_triton.inspect(&r, e);
	build_request_fini(&r);
	return s;
}

static enum asc_status build_triton(struct pool *pool, struct asc_err *e)
{
	struct pool_done done = {0};
	struct build_request r;

	if (begin_triton(&r, e)) {
		build_request_fini(&r);
		return e->status;
	}
	if (pool_submit(pool, 1, &builder_triton, &r, e))
		return e->status;
	enum asc_status s = ASC_OK;

	if (!pool_take(pool, -1, &done))
		s = asc_err_set(e, ASC_INTERNAL, "nothing is done");
	else if (done.artifact.outcome != ARTIFACT_BUILT)
		s = asc_err_set(e, done.trouble ? done.trouble : ASC_INTERNAL, "%s",
				done.reason ? done.reason : "");
	pool_done_fini(&done);
	return s;
}

static enum asc_status job_triton_build(struct asc_err *e)
{
	struct pool *pool;

	if (pool_open(in_folder("cache"), 1, LIMIT_NS, &pool, e))
		return e->status;
	pool_warm(pool, &builder_triton, "/proc/self/exe", 1);
	const enum asc_status s = build_triton(pool, e);

	pool_close(pool);
	return s;
}

/* An interpreter that has a Triton, by its own words, and compiles whatever it is told. */
static bool make_interpreter(void)
{
	static const char text[] =
		"#!/bin/sh\n"
		"if [ \"$4\" = probe ]; then\n"
		"	echo '{\"interpreter\": {\"executable\": \"%s\", \"python\": \"CPython 3\","
		" \"reads\": [\"%s\"]}, \"triton\": \"3.6.0\", \"tools\": \"ptxas 13\", "
		"\"foreign\": [\"multibuffer\"]}'\n"
		"	exit\n"
		"fi\n"
		"while read -r line <&3; do\n"
		"	output=${line#*'\"words\":[\"'}; output=${output%%%%'\"'*}\n"
		"	facts='{\"threads\":128}'\n"
		"	case $output in\n"
		"	-) facts='{\"digest\":\"sum\",\"files\":[\"%s\"],\"constants\":[\"N\"]}' "
		";;\n"
		"	/*) echo code >\"$output\" ;;\n"
		"	*) echo '{\"event\":\"ready\"}' >&3; continue ;;\n"
		"	esac\n"
		"	echo '{\"event\":\"compiled\",\"outcome\":\"built\",\"log\":\"\","
		"\"metadata\":'\"$facts}\" >&3\n"
		"done\n";
	const char *path = in_folder("python");
	struct buf script = {0};
	struct asc_err e;

	buf_print(&script, text, path, in_folder(""), in_folder("k.py"));
	const bool made = file_write(path, buf_str(&script), script.len, &e) == ASC_OK &&
			  chmod(path, 0700) == 0 &&
			  file_write(in_folder("k.py"), "pass\n", 5, &e) == ASC_OK &&
			  setenv("ASCTUNE_PYTHON", path, 1) == 0;
	buf_fini(&script);
	return made;
}

/* NVRTC in a toolkit, by the name that is looked for. */
static bool make_toolkit(void)
{
	struct asc_err e;

	unsetenv("ASCTUNE_NVRTC");
	return dir_make(in_folder("lib64"), &e) == ASC_OK &&
	       symlink(FAKE_NVRTC, in_folder("lib64/libnvrtc.so.13")) == 0 &&
	       file_write(in_folder("k.cu"), "int x;\n", 7, &e) == ASC_OK &&
	       dir_make(in_folder("include"), &e) == ASC_OK &&
	       file_write(in_folder("include/cuda_fp16.h"), "", 0, &e) == ASC_OK &&
	       setenv("CUDA_HOME", in_folder(""), 1) == 0;
}

int main(void)
{
	if (tap_ok(folder_init("nomem") && make_interpreter() && make_toolkit(),
		   "there is a folder")) {
		nomem_exhaust("a compiler that is named", job_named);
		nomem_exhaust("a compiler that is looked for", job_searched);
		nomem_exhaust("the Triton of an interpreter", job_triton);
		nomem_exhaust("a kernel that an interpreter looks at", job_triton_kernel);
		nomem_exhaust("a kernel that an interpreter compiles", job_triton_build);
		nomem_exhaust("NVRTC in a toolkit", job_nvrtc);
		nomem_exhaust("the command of a CUDA kernel", job_nvrtc_command);
		nomem_exhaust("the key of a CUDA kernel", job_nvrtc_key);
	}
	folder_fini();
	return tap_done();
}
