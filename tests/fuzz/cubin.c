/* Any bytes as a cubin: they are read, or refused, and nothing beyond their end is touched.
 * covers: cubin_code.c cubin_lines.c run_digest.c elf_file.c sass.c code_loops.c */
#include "tuner/code/cubin_code.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"
#include "tuner/base/buf.h"
#include "tuner/code/cubin_lines.h"
#include "tuner/code/run_digest.h"

/* Aborts where lines of a kernel are in no order. */
static void check_lines(const struct cubin *c, const char *kernel)
{
	struct cubin_lines lines;
	struct asc_err e;

	if (cubin_lines_open(c, kernel, &lines, &e) == ASC_OK)
		for (size_t i = 1; i < lines.n; i++)
			if (lines.list[i].address < lines.list[i - 1].address ||
			    strlen(lines.list[i].file) > UINT16_MAX * 16)
				abort();
	cubin_lines_close(&lines);
}

/* Aborts where the counts of a kernel contradict each other. */
static void check(const struct cubin *c, const char *kernel)
{
	struct code_counts counts;
	struct code_figure figure;
	struct asc_err e;
	int64_t classes = 0;

	if (cubin_count(c, kernel, &counts, &e))
		return;
	for (size_t i = 0; i < CODE_CLASS_COUNT; i++) {
		classes += counts.all.by_class[i];
		if (counts.loop.by_class[i] > counts.all.by_class[i])
			abort();
	}
	if (classes != counts.all.instructions || counts.loops > counts.loop.instructions ||
	    counts.loop_spills > counts.spills)
		abort();
	for (size_t at = 0; code_counts_next(&counts, &at, &figure);)
		if (figure.value < 0 || strlen(figure.name) + 1 >= sizeof figure.name)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cubin c;
	struct buf ptx = {0};
	char digest[RUN_DIGEST_SIZE];
	struct asc_err e;
	const char *kernel;

	if (cubin_open(data, size, &c, &e))
		return 0;
	/* A file may name one kernel a thousand times. */
	for (size_t at = 0, n = 0; n < 16 && (kernel = cubin_next_kernel(&c, &at)); n++) {
		check(&c, kernel);
		check_lines(&c, kernel);
	}
	check(&c, "spills");
	(void)cubin_print_ptx(&c, &ptx, &e);
	if (run_digest(data, size, digest, &e))
		abort();
	buf_fini(&ptx);
	return 0;
}
