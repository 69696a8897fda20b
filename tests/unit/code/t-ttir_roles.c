/* What kernels do with their pointers, read from TTIR that Triton made: of kernels that take each
 * way that the text has, whose sources beside them say what is right, and of a library's; then of
 * what is no such text.
 * covers: ttir_roles.c */
#include "tuner/code/ttir_roles.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static struct asc_err e;

/* One word a pointer: `-`, or letters for loads, stores and updates. */
static void print(const struct ttir_roles *r, char *out)
{
	static const char letters[] = "LSU";

	*out = '\0';
	for (size_t i = 0; i < r->n; i++) {
		strcat(out, i ? " " : "");
		for (int k = 0; k < 3; k++)
			if (r->uses[i] >> k & 1)
				strcat(out, (const char[2]){letters[k]});
		strcat(out, r->uses[i] ? "" : "-");
	}
	strcat(out, r->loops ? "; loop" : "");
	strcat(out, r->follows_data ? "; data" : "");
}

static void check_file(const char *file, const char *want)
{
	struct buf text = {0};
	struct ttir_roles r;
	char path[200], have[400] = "";

	snprintf(path, sizeof path, TEST_DATA "/data/triton/ttir/%s.ttir", file);
	if (tap_int(file_read(path, 0, &text, &e), ASC_OK, "%s is there", file) &&
	    tap_int(ttir_read_roles(text.data, text.len, &r, &e), ASC_OK, "%s is read", file)) {
		print(&r, have);
		tap_str(have, want, "%s: roles", file);
	}
	buf_fini(&text);
}

static void check_text(const char *what, const char *text, const char *want)
{
	struct ttir_roles r;
	char have[sizeof e.text] = "";

	if (ttir_read_roles(text, strlen(text), &r, &e))
		snprintf(have, sizeof have, "%s", e.text);
	else
		print(&r, have);
	tap_str(have, want, "%s", what);
}

#define HEAD "module {\n  tt.func public @k(%x: !tt.ptr<f32>, %n: i32, %y: !tt.ptr<f32>) {\n"
#define TAIL "    tt.return\n  }\n}\n"

int main(void)
{
	for (int k = 0; k < 2; k++) {
		char name[40];
		const char *version = k ? "3.6" : "3.4";

		/* x is read and, as z, stored to by one of two ways; y in a called function. */
		snprintf(name, sizeof name, "flow-%s", version);
		check_file(name, "LS S S U L; loop; data");
		snprintf(name, sizeof name, "whiles-%s", version);
		check_file(name, "S LS U");
		snprintf(name, sizeof name, "descriptors-%s", version);
		check_file(name, "L SU");
	}
	/* q, k, v, h, g, o, cu_seqlens, chunk_indices; its loop has one round, which Triton
	 * unrolls.
	 */
	check_file("fla_chunk_o-3.6", "L L L L L S L L");

	check_text("a name that two regions have",
		   HEAD "    scf.if %n {\n      %a = tt.addptr %x, %n : !tt.ptr<f32>, i32\n"
			"      tt.store %a, %n : !tt.ptr<f32>\n    } else {\n"
			"      %a = tt.addptr %y, %n : !tt.ptr<f32>, i32\n"
			"      %v = tt.load %a : !tt.ptr<f32>\n    }\n" TAIL,
		   "S L");
	check_text("a pointer that two rounds exchange",
		   HEAD "    %r:2 = scf.for %i = %n to %n step %n iter_args(%a = %x, %b = %y) -> "
			"(!tt.ptr<f32>, !tt.ptr<f32>) : i32 {\n"
			"      tt.store %a, %n : !tt.ptr<f32>\n"
			"      scf.yield %b, %a : !tt.ptr<f32>, !tt.ptr<f32>\n    }\n" TAIL,
		   "S S; loop");
	check_text("blocks of a function that returns early",
		   HEAD "    cf.cond_br %n, ^bb1(%x : !tt.ptr<f32>), ^bb2\n"
			"  ^bb1(%a: !tt.ptr<f32>):  // pred: ^bb0\n"
			"    tt.store %a, %n : !tt.ptr<f32>\n    tt.return\n  ^bb2:\n" TAIL,
		   "S -");
	check_text("the user's assembler, whose text has a register",
		   HEAD "    %v = tt.elementwise_inline_asm \"mov.u32 $0, %tid.x;\" {pure = false} "
			"%y : !tt.ptr<f32> -> i32\n" TAIL,
		   "- LS");
	check_text("a place in the source with a brace",
		   HEAD "    tt.store %x, %n : !tt.ptr<f32> loc(\"a {\"(#loc1))\n" TAIL, "S -");
	/* The arguments' nodes fill the array, behind which nothing may be read. */
	check_text("a name for no result", HEAD "    %r:0 = tt.get\n    tt.load %r\n" TAIL, "- -");
	check_text("no text", "", "expected a whole module with a public function");
	check_text("half a module", HEAD "    scf.if %n {\n",
		   "expected a whole module with a public function");
	check_text("a brace too much", "}\n", "a brace that closes nothing");
	check_text("two kernels", HEAD TAIL HEAD TAIL, "expected one public function with a name");
	return tap_done();
}
