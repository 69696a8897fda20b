/* Compilations with a libnvrtc of the tests, whose machine code is what it was given: what goes to
 * the compiler, and what becomes of its answers.
 * covers: nvrtc_compile.c nvrtc_library.c */
#include "tuner/build/nvrtc_compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/build/folder.h"
#include "tuner/base/file.h"
#include "tuner/device/libs/nvrtc_library.h"

static struct asc_err e;

static void put(const char *name, const char *text)
{
	tap_int(file_write(in_folder(name), text, strlen(text), &e), ASC_OK, "%s is written", name);
}

static enum asc_status compile(const char *source, struct compile_reply *out)
{
	const char *const words[] = {in_folder(source), in_folder("macros.h"), in_folder("k.cubin"),
				     "--gpu-architecture=sm_90", "-DA=1"};

	*out = (struct compile_reply){0};
	return nvrtc_service.compile(words, sizeof words / sizeof *words, out, &e);
}

static void test_built(void)
{
	struct compile_reply r;
	struct buf code = {0};

	put("macros.h", "#define WIDTH 2\n");
	put("good.cu", "#include <cuda_fp16.h>\nint x;\n");
	tap_int(compile("good.cu", &r), ASC_OK, "a kernel is compiled: %s", e.text);
	tap_ok(r.outcome == ARTIFACT_BUILT && r.log.len == 0 && r.metadata.len == 0,
	       "there is a file, and nothing else to tell");
	tap_int(file_read(in_folder("k.cubin"), 0, &code, &e), ASC_OK, "the file is there");
	tap_str(buf_str(&code),
		"--gpu-architecture=sm_90\n-DA=1\n#include <cuda_fp16.h>\n#define WIDTH 2\n"
		"#line 2 \"good.cu\"\nint x;\n\n#line 1 \"arguments\"\nASCTUNE_CHECKS\n",
		"the compiler had the options, and the source with the macros in it");
	buf_fini(&code);
	compile_reply_fini(&r);
}

static void test_refused(void)
{
	static const struct {
		const char *source;
		enum asc_status status;
		const char *text, *log;
	} cases[] = {
		{"#error\n", ASC_CHILD, "error: NVRTC cannot compile: NVRTC_ERROR_COMPILATION",
		 "k.cu(3): error: #error\n"},
		{"NO MEMORY\n", ASC_NOMEM, "cannot compile: NVRTC_ERROR_OUT_OF_MEMORY", ""},
		{"virtual\n", ASC_CHILD, "no machine code: the architecture is a virtual one", ""},
	};
	struct compile_reply r;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		put("bad.cu", cases[i].source);
		tap_int(compile("bad.cu", &r), cases[i].status, "refused: %s", cases[i].source);
		tap_has(e.text, cases[i].text, "why is said");
		tap_str(buf_str(&r.log), cases[i].log, "the compiler's own words are kept");
		compile_reply_fini(&r);
	}
	tap_int(compile("none.cu", &r), ASC_NOTFOUND, "a source that is not there");
	tap_has(e.text, "none.cu", "is named");
	tap_int(nvrtc_service.compile((const char *const[]){"a", "b"}, 2, &r, &e), ASC_USAGE,
		"words that are missing");
}

static void test_library(void)
{
	const struct nvrtc *n;
	struct buf name = {0};

	tap_int(nvrtc_open(&n, &e), ASC_OK, "the library that is named is opened");
	tap_ok(nvrtc_caches(n), "version 13.1 has a cache of its own");
	tap_int(nvrtc_identity(&name, &e), ASC_OK, "its identity is known");
	tap_has(buf_str(&name), "NVRTC 13.1 libfake_nvrtc.so ", "version and file are part of it");
	buf_fini(&name);
}

int main(void)
{
	if (!tap_ok(folder_init("nvrtc") && !setenv("ASCTUNE_NVRTC", FAKE_NVRTC, 1),
		    "there is a folder, and the library of the tests is named"))
		return tap_done();
	nvrtc_service.open();
	test_library();
	test_built();
	test_refused();
	folder_fini();
	return tap_done();
}
