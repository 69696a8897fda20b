/* Any text as what a disassembler prints: it is read, instructions of a CPU are classed, and the
 * listing is held against itself, which leaves nothing over.
 * covers: code_listing.c object_code.c code_difference.c */
#include "tuner/code/code_listing.h"

#include <elf.h>
#include <stdlib.h>

#include "tests/fuzz/target.h"
#include "tuner/code/code_difference.h"
#include "tuner/code/object_code.h"

static void check(const uint8_t *data, size_t size, int machine)
{
	struct code_listing l = {0};
	struct code_counts counts;
	struct code_difference d;
	struct asc_err e;

	buf_add(&l.raw, data, size);
	if (machine == EM_CUDA ? code_listing_parse_sass(&l, NULL, &e)
			       : code_listing_parse_objdump(&l, &e))
		abort();
	if (machine != EM_CUDA && object_decode(machine, l.lines, l.n, &counts, &e) == ASC_OK &&
	    (counts.all.instructions != (int64_t)l.n || counts.loop_chained > (int64_t)l.n))
		abort();
	if (code_difference_make(&l, &l, &d, &e) == ASC_OK && (d.n != 0 || d.same != l.n))
		abort();
	code_difference_fini(&d);
	code_listing_close(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(data, size, EM_CUDA);
	check(data, size, EM_X86_64);
	check(data, size, EM_AARCH64);
	return 0;
}
