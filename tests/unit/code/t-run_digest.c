/* Pairs of files, and whether they run the same: shared objects that the C compiler makes here of
 * one source in two forms, and a cubin of NVRTC with single bytes changed. What must not count are
 * names, lines and paths; what must is all else.
 * covers: run_digest.c elf_file.c */
#include "tuner/code/run_digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/code/elf_file.h"
#include "tuner/process/proc.h"

/* ---- shared objects ---- */

static const char source[] = "#include <stdio.h>\n"
			     "static const float table[] = {1.5f, 2.5f, 3.5f, 4.5f};\n"
			     "static int calls;\n"
			     "static int preset = 7;\n"
			     "int scale(float *x, long n)\n"
			     "{\n"
			     "	for (long i = 0; i < n; i++)\n"
			     "		x[i] = x[i] * 3.25f + table[i % 4];\n"
			     "	return puts(\"scaled\") + ++calls + preset++;\n"
			     "}\n";

struct form {
	const char *folder, *file;
	const char *from, *to; /* replaced in the source; NULL: nothing is */
	const char *option;
};

static const struct {
	const char *what;
	struct form other;
	bool same;
} pairs[] = {
	{"made twice", {"a", "kernel.c", NULL, NULL, "-O2"}, true},
	{"two lines of comment",
	 {"a", "kernel.c", "static int calls", "/* 1\n * 2 */\nstatic int calls", "-O2"},
	 true},
	{"another folder", {"b", "kernel.c", NULL, NULL, "-O2"}, true},
	{"another name of the file", {"b", "other.c", NULL, NULL, "-O2"}, true},
	{"-g", {"a", "kernel.c", NULL, NULL, "-g"}, true},
	{"-g3 in another folder, with comments",
	 {"b", "kernel.c", "static int calls", "// 1\n// 2\nstatic int calls", "-g3"},
	 true},
	{"another name of a static variable", {"a", "kernel.c", "table", "others", "-O2"}, true},
	{"stripped", {"a", "kernel.c", NULL, NULL, "-s"}, true},
	{"a constant of the code", {"a", "kernel.c", "3.25f", "3.26f", "-O2"}, false},
	{"a constant of a table", {"a", "kernel.c", "2.5f,", "2.25f,", "-O2"}, false},
	{"an instruction", {"a", "kernel.c", "3.25f +", "3.25f -", "-O2"}, false},
	{"a string", {"a", "kernel.c", "scaled", "scalee", "-O2"}, false},
	{"an initial value", {"a", "kernel.c", "preset = 7", "preset = 8", "-O2"}, false},
	{"the size of what begins as zeros",
	 {"a", "kernel.c", "static int calls", "int more[9999];\nstatic int calls", "-O2"},
	 false},
	{"a name that others ask for", {"a", "kernel.c", "scale(", "scalf(", "-O2"}, false},
	{"a function of a library", {"a", "kernel.c", "puts", "remove", "-O2"}, false},
	{"less optimised", {"a", "kernel.c", NULL, NULL, "-O1"}, false},
	{"a path in the code", {"b", "kernel.c", "\"scaled\"", "__FILE__", "-O2"}, false},
};

/* Appends the source of a form. */
static void add_source(const struct form *f, struct buf *out)
{
	for (const char *p = source; *p;) {
		const size_t n = f->from ? strlen(f->from) : 0;

		if (n && strncmp(p, f->from, n) == 0) {
			buf_add_str(out, f->to);
			p += n;
		} else {
			buf_add_char(out, *p++);
		}
	}
}

/* Compiles one form; its digest is "" where that fails. */
static void compile(const char *scratch, const struct form *f, char out[RUN_DIGEST_SIZE])
{
	char folder[512], path[1024], object[1024];
	struct buf text = {0}, said = {0}, bytes = {0};
	struct asc_err e = {0};
	int status = -1;

	(void)snprintf(folder, sizeof folder, "%s/%s", scratch, f->folder);
	(void)snprintf(path, sizeof path, "%s/%s", folder, f->file);
	(void)snprintf(object, sizeof object, "%s/kernel.so", folder);
	add_source(f, &text);
	char *cc = proc_find("cc");
	const char *argv[] = {cc, "-O2", "-fPIC", "-shared", f->option, "-o", object, path, NULL};

	*out = '\0';
	if (cc && dir_make(folder, &e) == ASC_OK &&
	    file_replace(path, buf_str(&text), text.len, &e) == ASC_OK &&
	    proc_run(argv, NULL, INT64_C(60000000000), 4096, &said, &status, &e) == ASC_OK &&
	    status == 0 && file_read(object, 0, &bytes, &e) == ASC_OK)
		(void)run_digest(bytes.data, bytes.len, out, &e);
	if (!*out)
		tap_note("%s: %s %s", path, buf_str(&said), e.text);
	free(cc);
	buf_fini(&text);
	buf_fini(&said);
	buf_fini(&bytes);
}

static void test_objects(void)
{
	char *scratch = NULL, first[RUN_DIGEST_SIZE], second[RUN_DIGEST_SIZE];
	struct asc_err e;

	if (dir_make_scratch("t-run_digest", &scratch, &e)) {
		tap_ok(false, "%s", e.text);
		return;
	}
	compile(scratch, &pairs[0].other, first);
	tap_has(first, "object:", "a shared object is read");
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		compile(scratch, &pairs[i].other, second);
		tap_ok(*second && (strcmp(first, second) == 0) == pairs[i].same, "%s: %s",
		       pairs[i].what, pairs[i].same ? "the same" : "another");
	}
	dir_remove(scratch);
	free(scratch);
}

/* A note of the source that looks like a linker's hides nothing. */
static void test_notes(void)
{
	static const char note[] =
		"__asm__(\".pushsection .note.own,\\\"a\\\",%note\\n.balign 4\\n\"\n"
		"	\".int 4, 8, 3\\n.asciz \\\"GNU\\\"\\n.int 1, 2\\n.popsection\");\n"
		"static int calls";
	static const char other[] =
		"__asm__(\".pushsection .note.own,\\\"a\\\",%note\\n.balign 4\\n\"\n"
		"	\".int 4, 8, 3\\n.asciz \\\"GNU\\\"\\n.int 1, 3\\n.popsection\");\n"
		"static int calls";
	const struct form one = {"a", "kernel.c", "static int calls", note, "-O2"};
	const struct form two = {"a", "kernel.c", "static int calls", other, "-O2"};
	char *scratch = NULL, first[RUN_DIGEST_SIZE], second[RUN_DIGEST_SIZE];
	struct asc_err e;

	if (dir_make_scratch("t-run_digest", &scratch, &e)) {
		tap_ok(false, "%s", e.text);
		return;
	}
	compile(scratch, &one, first);
	compile(scratch, &two, second);
	tap_ok(*first && *second && strcmp(first, second) != 0,
	       "a second note of that kind counts");
	dir_remove(scratch);
	free(scratch);
}

/* ---- a cubin ---- */

/* True for a section whose bytes do not count: no driver reads it. */
static bool is_idle(const char *name)
{
	static const char *const idle[] = {
		".debug_frame",
		".debug_line",
		".nv_debug_line_sass",
		".nv_debug_ptx_txt",
		".note.nv.tkinfo",
		".rel.debug_frame",
		".rel.debug_line",
		".rel.nv_debug_line_sass",
		".rela.debug_frame",
		".rela.debug_line",
		".rela.nv_debug_line_sass",
		".nv.merc.debug_frame",
		".nv.merc.debug_line",
		".nv.merc.nv_debug_line_sass",
		".nv.merc.nv_debug_ptx_txt",
		".nv.merc.rela.debug_frame",
		".nv.merc.rela.debug_line",
		".nv.merc.rela.nv_debug_line_sass",
	};

	for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
		if (strcmp(name, idle[i]) == 0)
			return true;
	return false;
}

/* Changes one byte of each section, in turn. */
static void test_sections(const char *file)
{
	char path[512], first[RUN_DIGEST_SIZE], second[RUN_DIGEST_SIZE];
	struct buf bytes = {0};
	struct elf_file f;
	struct asc_err e;
	Elf64_Shdr s;
	size_t idle = 0;

	(void)snprintf(path, sizeof path, TEST_DATA "/data/code/%s", file);
	tap_int(file_read(path, 0, &bytes, &e), ASC_OK, "%s", file);
	tap_ok(elf_open(bytes.data, bytes.len, &f), "is of the kind");
	(void)run_digest(bytes.data, bytes.len, first, &e);
	tap_has(first, "cubin:", "its digest is one of code");
	for (size_t k = 1; elf_get_section(&f, k, &s); k++) {
		const char *name = elf_section_name(&f, &s);

		/* What is named by debuggers' symbols has a name that nobody asks for. */
		if (s.sh_size == 0 || s.sh_type == SHT_NOBITS || s.sh_type == SHT_STRTAB)
			continue;
		/* The last byte: of a symbol and a relocation a number's high part. */
		char *byte = bytes.data + s.sh_offset + s.sh_size - 1;

		*byte ^= 1;
		tap_int(run_digest(bytes.data, bytes.len, second, &e), ASC_OK, "%s", name);
		tap_ok((strcmp(first, second) == 0) == is_idle(name), "a byte of %s %s", name,
		       is_idle(name) ? "does not count" : "counts");
		*byte ^= 1;
		idle += is_idle(name);
	}
	tap_ok(idle >= 3, "%zu sections are for debuggers", idle);
	buf_fini(&bytes);
}

/* Kernels are asked for by their names. */
static void test_names(void)
{
	char first[RUN_DIGEST_SIZE], second[RUN_DIGEST_SIZE];
	struct buf bytes = {0};
	struct elf_file f;
	struct asc_err e;
	Elf64_Sym symbol;

	(void)file_read(TEST_DATA "/data/code/steps-90.cubin", 0, &bytes, &e);
	(void)run_digest(bytes.data, bytes.len, first, &e);
	(void)elf_open(bytes.data, bytes.len, &f);
	for (size_t k = 0; elf_get_symbol(&f, k, &symbol); k++)
		if (strcmp(elf_symbol_name(&f, &symbol), "scale") == 0)
			break;
	const size_t at = (size_t)(f.strings.data - f.file.data) + symbol.st_name;

	tap_str(bytes.data + at, "scale", "the name of a kernel");
	bytes.data[at] = 'S';
	(void)run_digest(bytes.data, bytes.len, second, &e);
	tap_ok(strcmp(first, second) != 0, "another one is another digest");
	buf_fini(&bytes);
}

/* ---- what is not known ---- */

static void test_bytes(void)
{
	static const char text[] = "// PTX, say", other[] = "// PTX, saz";
	char first[RUN_DIGEST_SIZE], second[RUN_DIGEST_SIZE];
	struct buf bytes = {0};
	struct asc_err e;

	(void)run_digest(text, sizeof text, first, &e);
	(void)run_digest(other, sizeof other, second, &e);
	tap_has(first, "bytes:", "of a text all bytes count");
	tap_ok(strcmp(first, second) != 0, "each of them");
	(void)file_read(TEST_DATA "/data/code/steps-90.cubin", 0, &bytes, &e);
	(void)run_digest(bytes.data, bytes.len - 1, first, &e);
	tap_has(first, "bytes:", "and of a cubin that is cut off");
	(void)run_digest("", 0, first, &e);
	tap_has(first, "bytes:", "nothing is bytes, too");
	buf_fini(&bytes);
}

int main(void)
{
	test_objects();
	test_notes();
	test_sections("steps-75.cubin");
	test_sections("steps-90.cubin");
	test_sections("steps-120.cubin");
	test_names();
	test_bytes();
	return tap_done();
}
