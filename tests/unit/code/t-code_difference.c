/* Listings held against each other: instructions without the names of registers, addresses and
 * constants, and what is left over of each.
 * covers: code_difference.c code_listing.c */
#include "tuner/code/code_difference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/code/code_listing.h"

static void test_shapes(void)
{
	static const struct {
		const char *text, *shape;
	} lines[] = {
		{"LDG.E.128.CONSTANT R12, desc[UR4][R2.64+0x1a0]",
		 "LDG.E.128.CONSTANT R, desc[UR][R.64+#]"},
		{"@!P0 BRA `(.L_x_12)", "@P BRA label"},
		{"@UP3 UIADD3 UR4, UP0, UPT, UR4, 0x1, URZ", "@P UIADD3 UR, UP, UP, UR, #, UR"},
		{"FFMA R5, R2.reuse, c[0x0][0x28], R5", "FFMA R, R, c[#][#], R"},
		{"ISETP.GE.U32.AND P0, PT, R2, RZ, PT", "ISETP.GE.U32.AND P, P, R, R, P"},
		{"EXIT", "EXIT"},
		{"FMUL R5, R2, 1.4426950216293334961", "FMUL R, R, #"},
		{"LDL.LU R5, [R1+0x10] (*\"SpillRefill\"*)", "LDL.LU R, [R+#]"},
		{"vfmadd231ps 0x40(%rdx,%rax,4),%zmm12,%zmm0", "vfmadd231ps #(%r,%r,#),%zmm,%zmm"},
		{"mov    $0x10,%r8d", "mov $,%e"},
		{"jne    1108 <kernel+0x8>", "jne #"},
		{"vmovups %ymm3,(%rdi){%k1}", "vmovups %ymm,(%r){%k}"},
		{"fmla\tv0.4s, v1.4s, v2.s[1]", "fmla v.4s, v.4s, v.s[#]"},
		{"ldr\tq1, [x1, x3]", "ldr q, [x, x]"},
		{"", ""}};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct buf shape = {0};

		code_shape_print(lines[i].text, &shape);
		tap_str(buf_str(&shape), lines[i].shape, "shape of %s", lines[i].text);
		buf_fini(&shape);
	}
}

/* Holds two pieces of code against each other, an instruction a character: capitals are in loop 1,
 * small letters in none. */
static const char *hold(const char *first, const char *second)
{
	static char out[512];
	struct code_line lines[2][64];
	char texts[2][64][4];
	struct code_listing listings[2];
	struct code_difference d;
	struct buf b = {0};
	struct asc_err e;
	const char *codes[] = {first, second};

	for (size_t k = 0; k < 2; k++) {
		const size_t n = strlen(codes[k]);

		for (size_t i = 0; i < n; i++) {
			(void)snprintf(texts[k][i], sizeof *texts[k], "%c", codes[k][i]);
			lines[k][i] = (struct code_line){
				.text = texts[k][i],
				.is = {.loop = codes[k][i] >= 'A' && codes[k][i] <= 'Z'}};
		}
		listings[k] = (struct code_listing){.lines = lines[k], .n = n};
	}
	if (code_difference_make(&listings[0], &listings[1], &d, &e))
		return "failed";
	buf_print(&b, "%zu =", d.same);
	for (size_t i = 0; i < d.n; i++) {
		buf_print(&b, " %c%s", d.list[i].added ? '+' : '-', d.list[i].shape);
		if (d.list[i].n > 1)
			buf_print(&b, "%zu", d.list[i].n);
	}
	(void)snprintf(out, sizeof out, "%s", buf_str(&b));
	buf_fini(&b);
	code_difference_fini(&d);
	return out;
}

static void test_differences(void)
{
	tap_str(hold("abc", "abc"), "3 =", "equal code");
	tap_str(hold("", ""), "0 =", "no code");
	tap_str(hold("abc", ""), "0 = -a -b -c", "code that is gone");
	tap_str(hold("abcd", "axcd"), "3 = -b +x", "another instruction");
	tap_str(hold("abbbc", "ac"), "2 = -b3", "one that is gone three times is a line");
	tap_str(hold("abcdef", "bxdexf"), "4 = -a -c +x2", "the longest that both have is kept");
	tap_str(hold("abXYc", "bXYYc"), "4 = +Y -a", "the loop comes first");
	tap_str(hold("aXb", "aBb"), "2 = -X +B", "a loop is held against a loop");
}

/* What nvdisasm and cuobjdump print. */
static void test_sass(void)
{
	struct code_listing l = {0};
	struct asc_err e;

	buf_add_str(&l.raw,
		    "\t.target\tsm_90a\n.text.one:\n"
		    "        /*0000*/                   LDC R1, c[0x0][0x28] ;  /* 0x00 */\n"
		    "                                                          /* 0x01 */\n"
		    ".L_x_1:\n"
		    "        /*0010*/              @!P0 BRA `(.L_x_1) ;\n"
		    "        /*0020\n"
		    "/*\n"
		    "        /*0030*/\n"
		    "\t\tFunction : two\n"
		    "        /*0000*/                   EXIT ;\n");
	tap_int(code_listing_parse_sass(&l, NULL, &e), ASC_OK, "a listing is read");
	tap_int((long long)l.n, 3, "its instructions");
	if (l.n == 3) {
		tap_str(l.lines[0].text, "LDC R1, c[0x0][0x28]", "the first, without its encoding");
		tap_str(l.lines[1].label, ".L_x_1", "a label in front of the second");
		tap_int((long long)l.lines[1].address, 0x10, "its address");
		tap_str(l.lines[1].function, "one", "its kernel");
		tap_str(l.lines[2].function, "two", "the kernel of the third");
	}
	code_listing_close(&l);
}

int main(void)
{
	test_shapes();
	test_differences();
	test_sass();
	return tap_done();
}
