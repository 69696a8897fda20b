/* Cubins of NVRTC 12.4, 12.9 and 13.5 (tests/data/code/steps.cu says how), held against what
 * nvdisasm -c -g and cuobjdump -res-usage 13.5.37 say of the same files: figures were counted out
 * of their listings.
 *
 * covers: code_file.c code_opcodes.c cubin_code.c cubin_lines.c sass.c code_listing.c */
#include "tuner/code/code_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/code/code_listing.h"
#include "tuner/code/code_opcodes.h"
#include "tuner/code/cubin_code.h"
#include "tuner/code/cubin_lines.h"

#define DATA TEST_DATA "/data/code/"

static void test_counts(void)
{
	static const struct {
		const char *file, *kernel, *figures;
	} kernels[] = {
		{"steps-75.cubin", "keep",
		 "registers=32 stack=104 shared_bytes=16 bytes=4096 instructions=256 loops=1 "
		 "integer=17 "
		 "f32=40 "
		 "global=81 shared=2 local=104 constant=2 synchronise=1 control=8 none=1 loop 98"},
		{"steps-75.cubin", "scale",
		 "registers=12 stack=0 shared_bytes=0 bytes=384 spills=0 instructions=24 loops=1 "
		 "integer=11 "
		 "f32=1 "
		 "global=3 control=4 none=5 loop 11"},
		{"steps-90.cubin", "keep",
		 "registers=32 stack=112 shared_bytes=16 bytes=4352 spills=106 instructions=272 "
		 "loops=1 "
		 "integer=18 "
		 "f16=1 f32=40 global=81 shared=2 local=106 constant=6 synchronise=1 control=7 "
		 "none=10 loop 99"},
		{"steps-90.cubin", "scale",
		 "registers=14 stack=0 shared_bytes=0 bytes=640 spills=0 instructions=40 loops=1 "
		 "integer=9 "
		 "f32=1 "
		 "global=3 constant=8 control=4 none=15 loop 9"},
		{"steps-120.cubin", "keep",
		 "registers=32 stack=160 shared_bytes=16 bytes=7552 spills=206 instructions=472 "
		 "loops=1 "
		 "integer=33 "
		 "f16=1 f32=120 global=81 shared=4 local=206 constant=6 synchronise=1 control=9 "
		 "none=11 loop 194"},
		{"steps-120.cubin", "scale",
		 "registers=16 stack=0 shared_bytes=0 bytes=640 spills=0 instructions=40 loops=1 "
		 "integer=9 "
		 "f32=1 "
		 "global=3 constant=8 control=4 none=15 loop 9"}};

	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		char path[512];
		struct code_counts c;
		struct code_figure f;
		struct buf have = {0};
		struct asc_err e;
		size_t seen = 0;

		(void)snprintf(path, sizeof path, DATA "%s", kernels[i].file);
		tap_int(code_file_count(path, kernels[i].kernel, &c, &e), ASC_OK, "%s of %s",
			kernels[i].kernel, kernels[i].file);
		for (size_t at = 0; code_counts_next(&c, &at, &f); seen++)
			if (strncmp(f.name, "code_", 5) == 0 && strcmp(f.name, "code_jumps") != 0 &&
			    (f.value || seen < 5))
				buf_print(&have, "%s=%lld ", f.name + 5, (long long)f.value);
		buf_print(&have, "loop %lld", (long long)c.loop.instructions);
		tap_str(buf_str(&have), kernels[i].figures, "its figures");
		buf_fini(&have);
	}
}

/* Lines of instructions, as nvdisasm -g puts them. */
static void test_lines(void)
{
	static const struct {
		const char *file, *kernel;
		uint64_t address;
		uint32_t line;
	} places[] = {{"steps-75.cubin", "keep", 0, 9},     {"steps-75.cubin", "keep", 0x20, 20},
		      {"steps-75.cubin", "scale", 0x10, 5}, {"steps-90.cubin", "keep", 0x20, 19},
		      {"steps-90.cubin", "scale", 0, 3},    {"steps-120.cubin", "keep", 0x20, 15},
		      {"steps-120.cubin", "keep", 0x10, 14}};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		char path[512];
		struct buf bytes = {0};
		struct cubin c;
		struct cubin_lines lines = {0};
		struct asc_err e;

		(void)snprintf(path, sizeof path, DATA "%s", places[i].file);
		const bool opened = file_read(path, 0, &bytes, &e) == ASC_OK &&
				    cubin_open(bytes.data, bytes.len, &c, &e) == ASC_OK &&
				    cubin_lines_open(&c, places[i].kernel, &lines, &e) == ASC_OK;
		const struct cubin_line *line =
			opened ? cubin_lines_find(&lines, places[i].address) : NULL;

		tap_int(line ? line->line : 0, places[i].line, "line of %s in %s at 0x%llx",
			places[i].kernel, places[i].file, (unsigned long long)places[i].address);
		tap_str(line ? line->file : "", "/kernels.cu", "its file");
		cubin_lines_close(&lines);
		tap_ok(opened && cubin_lines_open(&c, "nobody", &lines, &e) == ASC_ABSENT,
		       "a kernel that is not there has no lines");
		cubin_lines_close(&lines);
		buf_fini(&bytes);
	}
}

/* A cubin whose bytes are others, one after another: lines, instructions and figures are read or
 * refused, and nothing beyond the end is touched, which ci/sanitize holds. */
/* Opcodes beside each other, as tests/data/code/scale-90.sass has them. */
static void test_opcodes(void)
{
	struct code_opcodes o = {0};
	struct buf have = {0};
	struct asc_err e;

	tap_int(code_opcodes_add_cubin(&o, 0, DATA "steps-90.cubin", "scale", &e), ASC_OK,
		"one side");
	tap_int(code_opcodes_add_cubin(&o, 1, DATA "steps-90.cubin", "nobody", &e), ASC_INPUT,
		"no kernel of that name");
	code_opcodes_sort(&o);
	for (size_t i = 0; i < o.n; i++)
		buf_print(&have, "%s%lld %s", i ? " " : "", (long long)o.list[i].n[0],
			  o.list[i].name);
	tap_str(buf_str(&have),
		"15 NOP 5 ULDC 3 IMAD 3 LDC 2 BRA 2 EXIT 2 ISETP 2 LDG 2 S2R 1 FFMA 1 IADD3 1 STG "
		"1 UIMAD",
		"each as often as nvdisasm lists it");
	tap_int(code_opcodes_add_cubin(&o, 1, DATA "steps-90.cubin", "scale", &e), ASC_OK,
		"the other");
	code_opcodes_sort(&o);
	tap_str(o.n ? o.list[0].name : "", "BRA", "of equal ones the names decide");
	code_opcodes_fini(&o);
	buf_fini(&have);
}

static void test_spoilt(void)
{
	struct buf bytes = {0};
	struct asc_err e;
	size_t odd = 0, read = 0;

	tap_int(file_read(DATA "steps-90.cubin", 0, &bytes, &e), ASC_OK, "a cubin to spoil");
	for (size_t i = 0; i < bytes.len; i++) {
		struct cubin c;
		struct cubin_lines lines = {0};
		struct code_counts counts;
		const char kept = bytes.data[i];

		bytes.data[i] = (char)(kept ^ (i % 3 == 0 ? 0xff : i % 3 == 1 ? 0x80 : 1));
		if (cubin_open(bytes.data, bytes.len, &c, &e) == ASC_OK) {
			const enum asc_status s = cubin_lines_open(&c, "keep", &lines, &e);

			odd += s != ASC_OK && s != ASC_ABSENT;
			cubin_lines_close(&lines);
			read += cubin_count(&c, "keep", &counts, &e) == ASC_OK;
		}
		bytes.data[i] = kept;
	}
	tap_int((long long)odd, 0, "lines of a spoilt cubin are there, or are not");
	tap_ok(read > bytes.len / 2, "most bytes do not keep it from being read");
	buf_fini(&bytes);
}

static void test_other_files(void)
{
	struct code_counts c;
	struct code_listing l;
	struct asc_err e;

	tap_int(code_file_count(DATA "steps.cu", "scale", &c, &e), ASC_ABSENT,
		"nothing can be told of a source");
	tap_ok(strstr(e.text, "nothing is known of its instructions"), "which is said: %s", e.text);
	tap_int(code_file_count(DATA "absent.cubin", "scale", &c, &e), ASC_NOTFOUND,
		"a file that is not there");
	tap_int(code_file_count(DATA "steps-90.cubin", "nobody", &c, &e), ASC_INPUT,
		"a kernel that is not there");
	/* An empty PATH has neither nvdisasm nor Python. */
	(void)setenv("PATH", "/nonexistent", 1);
	(void)setenv("CUDA_HOME", "/nonexistent", 1);
	(void)setenv("CUDA_PATH", "/nonexistent", 1);
	(void)setenv("ASCTUNE_PYTHON", "/nonexistent/python", 1);
	const enum asc_status s = code_listing_open(DATA "steps-90.cubin", "keep", &l, &e);

	/* A toolkit in its usual place has one whatever the environment says. */
	tap_ok(s == ASC_OK || (s == ASC_ABSENT && strstr(e.text, "nvdisasm")),
	       "without a disassembler that is said: %s", s ? e.text : "there is one");
	code_listing_close(&l);
}

int main(void)
{
	test_counts();
	test_lines();
	test_opcodes();
	test_spoilt();
	test_other_files();
	return tap_done();
}
