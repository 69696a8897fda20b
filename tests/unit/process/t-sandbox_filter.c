/* The programs that filter system calls, instruction by instruction: sandbox_filter-x86_64.txt has
 * those whose jumps were counted by hand and read by many, and none may change unseen.
 * covers: sandbox_filter.c */
#include "tuner/process/sandbox_filter.h"

#include <linux/filter.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

#ifdef __x86_64__
static void print(const char *name, const struct sock_fprog *program, struct buf *out)
{
	buf_print(out, "%s %d\n", name, program->len);
	for (size_t i = 0; i < program->len; i++) {
		const struct sock_filter *f = &program->filter[i];

		buf_print(out, "%04x %u %u %08x\n", f->code, f->jt, f->jf, f->k);
	}
}

static void test_programs(void)
{
	struct buf have = {0}, want = {0};
	struct asc_err e;

	print("any", sandbox_filter_prepare(false), &have);
	print("driver", sandbox_filter_prepare(true), &have);
	if (tap_ok(!file_read(TEST_DATA "/unit/process/sandbox_filter-x86_64.txt", 0, &want, &e),
		   "the programs that were"))
		tap_str(buf_str(&have), buf_str(&want), "the programs that are");
	tap_ok(sandbox_filter_prepare(true) == sandbox_filter_prepare(true), "are made once");
	buf_fini(&have);
	buf_fini(&want);
}
#endif

int main(void)
{
#ifdef __x86_64__
	test_programs();
#else
	tap_skip("numbers of calls are those of x86-64");
#endif
	return tap_done();
}
