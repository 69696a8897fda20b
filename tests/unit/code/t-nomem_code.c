/* Machine code read where memory runs out: that is said, and nothing else is answered.
 * covers: cubin_code.c cubin_lines.c run_digest.c elf_file.c object_code.c code_listing.c
 * code_difference.c */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/code/code_difference.h"
#include "tuner/code/code_listing.h"
#include "tuner/code/cubin_code.h"
#include "tuner/code/cubin_lines.h"
#include "tuner/code/object_code.h"
#include "tuner/code/run_digest.h"

/* Counts, lines, PTX and key of a kernel. */
static enum asc_status read_cubin(struct asc_err *e)
{
	struct buf bytes = {0}, said = {0};
	struct cubin c;
	struct code_counts counts;
	struct cubin_lines lines = {0};
	char digest[RUN_DIGEST_SIZE];
	enum asc_status s = file_read(TEST_DATA "/data/code/steps-90.cubin", 0, &bytes, e);

	if (s == ASC_OK)
		s = cubin_open(bytes.data, bytes.len, &c, e);
	if (s == ASC_OK)
		s = cubin_count(&c, "keep", &counts, e);
	if (s == ASC_OK)
		s = cubin_lines_open(&c, "keep", &lines, e);
	if (s == ASC_OK)
		s = run_digest(bytes.data, bytes.len, digest, e);
	if (s == ASC_OK) {
		buf_print(&said, "%lld %zu %s\n", (long long)counts.loop_spills, lines.n, digest);
		s = cubin_print_ptx(&c, &said, e);
	}
	if (s == ASC_OK)
		nomem_give(buf_str(&said));
	cubin_lines_close(&lines);
	buf_fini(&bytes);
	buf_fini(&said);
	return s;
}

/* Two listings, the classes of one, and what differs. */
static enum asc_status compare(struct asc_err *e)
{
	static const char first[] = "Disassembly of section .text:\n0000000000001100 <kernel>:\n"
				    "    1100:\tvaddps (%rdi,%rax,4),%zmm0,%zmm0\n"
				    "    1108:\tmov    (%rcx),%rcx\n"
				    "    110c:\tjne    1100 <kernel>\n"
				    "    1110:\tret\n";
	static const char second[] = "Disassembly of section .text:\n0000000000001100 <kernel>:\n"
				     "    1100:\tvaddss (%rdi,%rax,4),%xmm0,%xmm0\n"
				     "    1108:\tjne    1100 <kernel>\n"
				     "    1110:\tret\n";
	struct code_listing a = {0}, b = {0};
	struct code_counts counts;
	struct code_difference d = {0};
	struct buf said = {0};

	buf_add_str(&a.raw, first);
	buf_add_str(&b.raw, second);
	enum asc_status s = buf_check(&a.raw, e);

	if (s == ASC_OK)
		s = buf_check(&b.raw, e);
	if (s == ASC_OK)
		s = code_listing_parse_objdump(&a, e);
	if (s == ASC_OK)
		s = code_listing_parse_objdump(&b, e);
	if (s == ASC_OK)
		s = object_decode(EM_X86_64, b.lines, b.n, &counts, e);
	if (s == ASC_OK)
		s = object_decode(EM_X86_64, a.lines, a.n, &counts, e);
	if (s == ASC_OK)
		s = code_difference_make(&a, &b, &d, e);
	if (s == ASC_OK) {
		buf_print(&said, "%lld: %zu %zu %zu", (long long)counts.loop_chained, d.same,
			  d.removed, d.added);
		s = buf_check(&said, e);
	}
	if (s == ASC_OK)
		nomem_give(buf_str(&said));
	code_difference_fini(&d);
	code_listing_close(&a);
	code_listing_close(&b);
	buf_fini(&said);
	return s;
}

int main(void)
{
	nomem_exhaust("a cubin", read_cubin);
	nomem_exhaust("two listings", compare);
	return tap_done();
}
