/* Code of x86-64 and aarch64 as objdump 2.40 lists it: pieces of what gcc 12.2 made of a sum, a
 * product, a walk along a list.
 * covers: object_code.c object_instruction.c code_listing.c */
#include "tuner/code/object_code.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/code/code_listing.h"

static const char *figures(const char *text, int machine)
{
	static char out[1024];
	struct code_listing l = {0};
	struct code_counts c;
	struct code_figure f;
	struct buf b = {0};
	struct asc_err e;

	buf_add_str(&l.raw, text);
	if (code_listing_parse_objdump(&l, &e) || object_decode(machine, l.lines, l.n, &c, &e))
		buf_add_str(&b, e.text);
	else
		for (size_t at = 0; code_counts_next(&c, &at, &f);)
			if (f.value)
				buf_print(&b, "%s=%lld ", f.name, (long long)f.value);
	(void)snprintf(out, sizeof out, "%s", buf_str(&b));
	buf_fini(&b);
	code_listing_close(&l);
	return out;
}

#define BEGIN "Disassembly of section .text:\n\n0000000000001100 <kernel>:\n"

static void test_x86(void)
{
	tap_str(figures("Disassembly of section .init:\n\n0000000000001000 <_init>:\n"
			"    1000:\tsub    $0x8,%rsp\n" BEGIN
			"    1100:\tvxorps %xmm0,%xmm0,%xmm0\n"
			"    1108:\tvmovups (%rsi,%rax,1),%zmm1\n"
			"    1110:\tvfmadd231ps (%rdx,%rax,1),%zmm1,%zmm0\n"
			"    1118:\tadd    $0x40,%rax\n"
			"    111c:\tcmp    %rcx,%rax\n"
			"    1120:\tjne    1108 <kernel+0x8>\n"
			"    1124:\tvaddss %xmm1,%xmm0,%xmm0\n"
			"    1128:\tvzeroupper\n"
			"    112c:\tret\n"
			"    1130:\tcs nopw 0x0(%rax,%rax,1)\n"
			"\n0000000000001140 <frame_dummy>:\n    1140:\tendbr64\n",
			EM_X86_64),
		"code_instructions=10 code_loops=1 loop_instructions=5 loop_memory=2 "
		"loop_width_bits=512 "
		"code_integer=2 loop_integer=2 code_vector=2 loop_vector=1 code_scalar=1 "
		"code_load=1 loop_load=1 code_control=2 loop_control=1 code_none=2 ",
		"a loop of 512 bits, in .text alone");
	tap_str(figures(BEGIN "    1100:\tmovss  (%rdi),%xmm0\n"
			      "    1104:\tcall   1040 <expf@plt>\n"
			      "    1109:\tmovss  %xmm0,(%rsi)\n"
			      "    110d:\tjne    1100 <kernel>\n",
			EM_X86_64),
		"code_instructions=4 code_loops=1 loop_instructions=4 loop_memory=2 loop_calls=1 "
		"code_load=1 loop_load=1 code_store=1 loop_store=1 code_control=2 loop_control=2 ",
		"a loop with a call");
	tap_str(figures(BEGIN "    1100:\tmovss  (%rdi,%rax,4),%xmm1\n"
			      "    1105:\tmulss  %xmm2,%xmm1\n"
			      "    1109:\tcvtss2sd %xmm1,%xmm1\n"
			      "    110d:\taddsd  %xmm1,%xmm0\n"
			      "    1111:\tmovsd  %xmm0,(%rsi,%rax,8)\n"
			      "    1116:\tinc    %rax\n"
			      "    1119:\tcmp    %rax,%rdx\n"
			      "    111c:\tjne    1100 <kernel>\n"
			      "    111e:\tjmp    *%rax\n",
			EM_X86_64),
		"code_instructions=9 code_loops=1 code_jumps=1 loop_instructions=8 loop_memory=2 "
		"code_integer=2 "
		"loop_integer=2 code_scalar=2 loop_scalar=2 code_convert=1 loop_convert=1 "
		"code_load=1 loop_load=1 code_store=1 loop_store=1 code_control=2 loop_control=1 ",
		"a loop of one number at a time, and a jump that nobody can follow");
}

static void test_chains(void)
{
	static const struct {
		const char *code;
		int machine;
		bool chained;
		const char *what;
	} loops[] = {{BEGIN "    1100:\tmov    (%rdi,%rax,8),%rax\n"
			    "    1104:\tdec    %rdx\n"
			    "    1107:\tjne    1100 <kernel>\n"
			    "    1109:\tret\n",
		      EM_X86_64, true, "the next index is what was loaded"},
		     {BEGIN "    1100:\tmov    (%rdi,%rax,4),%ecx\n"
			    "    1103:\tlea    0x1(%rcx),%ecx\n"
			    "    1106:\tmovslq %ecx,%rax\n"
			    "    1109:\tdec    %rdx\n"
			    "    110c:\tjne    1100 <kernel>\n",
		      EM_X86_64, true, "it is worked out of what was loaded"},
		     {BEGIN "    1100:\tmov    (%rdi,%rax,4),%ecx\n"
			    "    1103:\tvaddss (%rsi,%rcx,4),%xmm0,%xmm0\n"
			    "    1108:\tinc    %rax\n"
			    "    110b:\tcmp    %rax,%rdx\n"
			    "    110e:\tjne    1100 <kernel>\n",
		      EM_X86_64, false,
		      "a list of places is loaded: none waits for the one before"},
		     {BEGIN "    1100:\tmov    (%rdi),%rax\n"
			    "    1103:\tadd    %rax,%rcx\n"
			    "    1106:\txor    %eax,%eax\n"
			    "    1108:\tadd    $0x8,%rdi\n"
			    "    110c:\tcmp    %rdi,%rdx\n"
			    "    110f:\tjne    1100 <kernel>\n",
		      EM_X86_64, false, "a sum of what was loaded is no address"},
		     {BEGIN "    1100:\tldr\tx0, [x0, #8]\n"
			    "    1104:\tcbnz\tx0, 1100 <kernel>\n"
			    "    1108:\tret\n",
		      EM_AARCH64, true, "a walk along a list on aarch64"},
		     {BEGIN "    1100:\tldr\tw3, [x0], #4\n"
			    "    1104:\tadd\tw2, w2, w3\n"
			    "    1108:\tcmp\tx0, x1\n"
			    "    110c:\tb.ne\t1100 <kernel>  // b.any\n",
		      EM_AARCH64, false, "a sum on aarch64"}};

	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
		tap_ok((strstr(figures(loops[i].code, loops[i].machine), "loop_chained=1 ") !=
			NULL) == loops[i].chained,
		       "%s", loops[i].what);
}

static void test_arm(void)
{
	tap_str(figures(BEGIN "    1100:\tldr\tq1, [x1, x3]\n"
			      "    1104:\tfmla\tv0.4s, v1.4s, v2.4s\n"
			      "    1108:\tdup\tv3.4s, v1.s[0]\n"
			      "    110c:\tstr\tq0, [x2, x3]\n"
			      "    1110:\tadd\tx3, x3, #0x10\n"
			      "    1114:\tcmp\tx3, x4\n"
			      "    1118:\tb.ne\t1100 <kernel>  // b.any\n"
			      "    111c:\tfadd\ts0, s0, s1\n"
			      "    1120:\tscvtf\ts1, w0\n"
			      "    1124:\tret\n"
			      "    1128:\tnop\n"
			      "    112c:\tudf\t#0\n",
			EM_AARCH64),
		"code_instructions=12 code_loops=1 loop_instructions=7 loop_memory=3 "
		"loop_width_bits=128 "
		"code_integer=2 loop_integer=2 code_vector=1 loop_vector=1 code_scalar=1 "
		"code_shuffle=1 loop_shuffle=1 code_convert=1 code_load=1 loop_load=1 "
		"code_store=1 loop_store=1 code_control=2 loop_control=1 code_none=2 ",
		"a loop of 128 bits on aarch64");
	tap_str(figures(BEGIN "    1100:\tld1w\t{z1.s}, p0/z, [x1, x3, lsl #2]\n"
			      "    1104:\tfmla\tz0.s, p0/m, z1.s, z2.s\n"
			      "    1108:\tb.first\t1100 <kernel>\n",
			EM_AARCH64),
		"code_instructions=3 code_loops=1 loop_instructions=3 loop_memory=1 code_vector=1 "
		"loop_vector=1 "
		"code_load=1 loop_load=1 code_control=1 loop_control=1 ",
		"of SVE the processor decides how wide it is");
}

static void test_files(void)
{
	Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_machine = EM_AARCH64};

	tap_int(object_machine(&head, sizeof head), EM_AARCH64, "code of aarch64");
	tap_int(object_machine(&head, sizeof head - 1), 0, "a file that is cut off is none");
	head.e_machine = EM_RISCV;
	tap_int(object_machine(&head, sizeof head), 0, "that of a processor nobody asked for");
	tap_str(figures("", EM_X86_64), "", "no listing has no code");
	tap_str(figures(BEGIN "    1100:\t(bad)\n    1101:\t\n    :\n<>:\n", EM_X86_64),
		"code_instructions=1 code_unknown=1 ", "bytes that are no instruction");
}

/* A loop of vectors, and one of the last numbers, which is its rest; alone it is none. */
static void test_rest(void)
{
	static const char wide[] = "    1100:\tvaddps (%rdi,%rax,4),%zmm0,%zmm0\n"
				   "    1108:\tjne    1100 <kernel>\n";
	static const char single[] = "    1110:\tvaddss (%rdi,%rax,4),%xmm0,%xmm0\n"
				     "    1118:\tjne    1110 <kernel+0x10>\n";
	char both[400];

	(void)snprintf(both, sizeof both, BEGIN "%s%s", wide, single);
	tap_has(figures(both, EM_X86_64), "loop_rest=1 ", "numbers beside vectors are their rest");
	(void)snprintf(both, sizeof both, BEGIN "%s", single);
	tap_ok(!strstr(figures(both, EM_X86_64), "loop_rest"), "alone they are all there is");
}

/* Two kernels in a source, of which the launch calls the second one, which has a cold part and a
 * function that threads of OpenMP call. */
static void test_reached(void)
{
	tap_str(figures("Disassembly of section .text:\n\n0000000000001100 <other>:\n"
			"    1100:\taddsd  %xmm0,%xmm1\n"
			"    1104:\tret\n"
			"\n0000000000001110 <kernel._omp_fn.0>:\n"
			"    1110:\taddss  %xmm0,%xmm1\n"
			"    1114:\tret\n"
			"\n0000000000001120 <kernel>:\n"
			"    1120:\tlea    -0x17(%rip),%rdi        # 1110 <kernel._omp_fn.0>\n"
			"    1127:\tje     1140 <kernel.cold>\n"
			"    1129:\tret\n"
			"\n0000000000001130 <kernel_2>:\n"
			"    1130:\tmulsd  %xmm0,%xmm1\n"
			"\n0000000000001140 <kernel.cold>:\n"
			"    1140:\tjmp    1129 <kernel+0x9>\n"
			"\n0000000000001150 <asctune_launch>:\n"
			"    1150:\tjmp    1120 <kernel>\n",
			EM_X86_64),
		"code_instructions=7 code_integer=1 code_scalar=1 code_control=5 ",
		"what a launch comes to");
}

int main(void)
{
	test_reached();
	test_rest();
	test_x86();
	test_chains();
	test_arm();
	test_files();
	return tap_done();
}
