/* Out of memory where toolchains are looked for: a compiler, NVRTC, the Triton of an interpreter.
 * Lack of memory is never taken for the absence of one. */
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
#include "tuner/base/json.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"

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

static enum asc_status job_nvrtc_key(struct asc_err *e)
{
	struct buf text = {0};
	struct json_writer w = {&text, false};
	struct build_request r;

	build_request_init(&r, in_folder("k.cu"), "scale", "sm_90", "/proc/self/exe");
	build_request_add_flag(&r, "-DA=1");
	build_request_define(&r, "WIDTH", "64");
	build_request_add_argument(&r, BUILD_TENSOR, DTYPE_F32, "tensor x");
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

/* An interpreter that has a Triton, by its own words. */
static bool make_interpreter(void)
{
	static const char text[] =
		"#!/bin/sh\n"
		"echo '{\"executable\": \"/usr/bin/python3\", \"python\": \"CPython 3\","
		" \"triton\": \"3.6.0\", \"assemblers\": \"ptxas 13\", \"reads\": [\"/usr\"]}'\n";
	struct asc_err e;
	const char *path = in_folder("python");

	return file_write(path, text, strlen(text), &e) == ASC_OK && chmod(path, 0700) == 0 &&
	       setenv("ASCTUNE_PYTHON", path, 1) == 0;
}

/* NVRTC in a toolkit, by the name that is looked for. */
static bool make_toolkit(void)
{
	struct asc_err e;

	unsetenv("ASCTUNE_NVRTC");
	return dir_make(in_folder("lib64"), &e) == ASC_OK &&
	       symlink(FAKE_NVRTC, in_folder("lib64/libnvrtc.so.13")) == 0 &&
	       file_write(in_folder("k.cu"), "int x;\n", 7, &e) == ASC_OK &&
	       setenv("CUDA_HOME", in_folder(""), 1) == 0;
}

int main(void)
{
	if (tap_ok(folder_init("nomem") && make_interpreter() && make_toolkit(),
		   "there is a folder")) {
		nomem_exhaust("a compiler that is named", job_named);
		nomem_exhaust("a compiler that is looked for", job_searched);
		nomem_exhaust("the Triton of an interpreter", job_triton);
		nomem_exhaust("NVRTC in a toolkit", job_nvrtc);
		nomem_exhaust("the key of a CUDA kernel", job_nvrtc_key);
	}
	folder_fini();
	return tap_done();
}
