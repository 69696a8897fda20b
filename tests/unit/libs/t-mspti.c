/* MSPTI's records: their layout, what a libmspti of the tests hands back, launches of several
 * kernels, records that are lost, and the words where there is no library. Needs no NPU.
 * covers: mspti.c */
#include "tuner/device/libs/mspti.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/libs/fake_mspti.h"
#include "tuner/base/file.h"
#include "tuner/device/libs/work.h"

static struct asc_err e;
static char folder[300];

/* ---- memory ---- */

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);

static bool no_memory;

void *__wrap_realloc(void *p, size_t n)
{
	return no_memory ? NULL : __real_realloc(p, n);
}

/* ---- the library ---- */

/* Folder that --cann would name: lib64/libmspti.so in it is the library of the tests. */
static bool make_cann(void)
{
	const char *base = getenv("TMPDIR");
	char path[400];

	(void)snprintf(folder, sizeof folder, "%s/cann-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(folder))
		return false;
	(void)snprintf(path, sizeof path, "%s/lib64", folder);
	if (dir_make(path, &e))
		return false;
	(void)snprintf(path, sizeof path, "%s/lib64/libmspti.so", folder);
	return symlink(FAKE_MSPTI, path) == 0 && setenv("ASCTUNE_CANN", folder, 1) == 0;
}

static void *find_symbol(const char *name)
{
	void *library = dlopen(FAKE_MSPTI, RTLD_NOW | RTLD_LOCAL);

	return library ? dlsym(library, name) : NULL;
}

static void give(const struct fake_mspti_plan *plan)
{
	void *symbol = find_symbol("fake_mspti_give");
	void (*function)(const struct fake_mspti_plan *);

	memcpy(&function, &symbol, sizeof function);
	function(plan);
}

static struct fake_mspti_calls calls_made(void)
{
	void *symbol = find_symbol("fake_mspti_read_calls");
	void (*function)(struct fake_mspti_calls *);
	struct fake_mspti_calls calls;

	memcpy(&function, &symbol, sizeof function);
	function(&calls);
	return calls;
}

/* ---- records ---- */

struct bytes {
	uint8_t data[200 * 56];
	size_t n;
};

static void put(struct bytes *b, const void *value, size_t n)
{
	memcpy(b->data + b->n, value, n);
	b->n += n;
}

/* Kernel (kind 2), packed: u32, u64 start, u64 end, u32 device, u32 stream, u64 correlation, two
 * pointers. */
static void put_kernel(struct bytes *b, uint64_t start, uint64_t end, uint64_t correlation)
{
	const uint32_t kind = 2, device = 7, stream = 9;
	const uint64_t text = 0x123456789;

	put(b, &kind, 4);
	put(b, &start, 8);
	put(b, &end, 8);
	put(b, &device, 4);
	put(b, &stream, 4);
	put(b, &correlation, 8);
	put(b, &text, 8);
	put(b, &text, 8);
	b->n += 4; /* rounded up to 56 */
}

/* External correlation (kind 8): u32, u32 of whom, u64 number, u64 correlation. */
static void put_link(struct bytes *b, uint32_t whose, uint64_t number, uint64_t correlation)
{
	const uint32_t kind = 8;

	put(b, &kind, 4);
	put(b, &whose, 4);
	put(b, &number, 8);
	put(b, &correlation, 8);
}

/* Copy (kind 7) or fill (kind 6): u32, u32 of what kind, u64 bytes, u64 start, u64 end, u32 device,
 * u32 stream, u64 correlation, u8. */
static void put_transfer(struct bytes *b, uint32_t kind, uint64_t bytes, uint64_t start,
			 uint64_t correlation)
{
	const uint32_t how = 3, device = 7, stream = 9;
	const uint64_t end = start + 20;

	put(b, &kind, 4);
	put(b, &how, 4);
	put(b, &bytes, 8);
	put(b, &start, 8);
	put(b, &end, 8);
	put(b, &device, 4);
	put(b, &stream, 4);
	put(b, &correlation, 8);
	b->n += 8; /* rounded up to 56 */
}

static void put_marker(struct bytes *b)
{
	const uint32_t kind = 1;

	put(b, &kind, 4);
	b->n += 52;
}

static void put_unknown(struct bytes *b)
{
	const uint32_t kind = 77;

	put(b, &kind, 4);
	b->n += 20;
}

static struct mspti_records take(const struct bytes *b, size_t buffer_bytes)
{
	struct mspti_records r;

	give(&(struct fake_mspti_plan){
		.records = b->data, .bytes = b->n, .buffer_bytes = buffer_bytes});
	tap_int(mspti_take(&r, 0, 0, &e), ASC_OK, "records are taken");
	return r;
}

static void test_take(void)
{
	static struct bytes b;
	const uint64_t start = 1700000000123456789, end = start + 5376;

	put_kernel(&b, start, end, 41);
	put_marker(&b);
	put_link(&b, 2, 1001, 41);
	put_kernel(&b, end + 10, end + 30, 40);
	put_link(&b, 2, 1000, 40);
	put_link(&b, 3, 5, 40); /* of another kind of numbers */
	const struct mspti_records r = take(&b, 1 << 20);

	tap_int(r.n_kernels, 2, "those of kernels");
	tap_ok(r.kernels[0].start == start && r.kernels[0].end == end, "when one began and ended");
	tap_int(r.kernels[0].correlation, 41, "which call it was");
	tap_int(r.n_links, 2, "the numbers that asctune gave");
	tap_ok(r.links[0].correlation == 40 && r.links[0].number == 1000, "by rising correlation");
}

/* A buffer that is not walked to its end leaves the cursor in the middle of the next one. */
static void test_buffers(void)
{
	static struct bytes b;
	size_t fine = 0;

	for (uint64_t i = 0; i < 100; i++)
		put_kernel(&b, 1000 * i + 1, 1000 * i + 2 + i, i + 1);
	const struct mspti_records r = take(&b, 3 * 56);

	for (size_t i = 0; i < r.n_kernels; i++)
		fine += r.kernels[i].correlation == i + 1 &&
			r.kernels[i].end - r.kernels[i].start == i + 1;
	tap_int(fine, 100, "each record of many buffers is taken");
	tap_ok(calls_made().buffers >= 34, "there were many buffers");
	tap_int(calls_made().unwalked, 0, "each was walked to its end");
	tap_int(take(&(struct bytes){.n = 0}, 1 << 20).n_kernels, 0, "records are taken once");
}

static void test_launches(void)
{
	static struct bytes b;
	struct mspti_launch l[4];

	put_kernel(&b, 100, 150, 1); /* one launch of two kernels */
	put_kernel(&b, 160, 190, 2);
	put_kernel(&b, 300, 340, 3); /* one of one */
	put_kernel(&b, 400, 440, 4); /* one that was not numbered: a fill */
	put_kernel(&b, 0, 0, 5);     /* one that was not timed */
	put_kernel(&b, 900, 890, 6); /* one that ends before it begins */
	for (uint64_t i = 1; i <= 6; i++)
		if (i != 4)
			put_link(&b, 2, i <= 2 ? 50 : i == 3 ? 51 : i == 5 ? 52 : 53, i);
	const struct mspti_records r = take(&b, 1 << 20);

	mspti_add_up(&r, 50, l, 4);
	tap_int(l[0].n_kernels, 2, "a launch of two kernels");
	tap_int(l[0].end - l[0].start, 90, "from the first's start to the last's end");
	tap_int(l[0].sum_ns, 80, "the sum of their times");
	tap_ok(!l[0].broken && !l[1].broken, "they make sense");
	tap_int(l[1].n_kernels == 1 && l[1].sum_ns == 40, 1, "a fill is no launch's");
	tap_ok(l[2].broken && l[2].n_kernels == 1, "no times are no time of 0");
	tap_ok(l[3].broken, "an end before the start is no time");
	mspti_add_up(&r, 60, l, 4);
	tap_int(l[0].n_kernels, 0, "other numbers have no kernels");
}

/* Records may come after the stream has been waited for. */
static void test_late(void)
{
	static struct bytes b;
	struct mspti_records r;

	put_kernel(&b, 1, 2, 3);
	put_link(&b, 2, 4, 3);
	give(&(struct fake_mspti_plan){
		.records = b.data, .bytes = b.n, .buffer_bytes = b.n, .late = 20});
	tap_int(mspti_take(&r, 5, 1, &e) == ASC_OK && r.n_kernels == 1, 1,
		"what was numbered before is not what is waited for");
	give(&(struct fake_mspti_plan){
		.records = b.data, .bytes = b.n, .buffer_bytes = b.n, .late = 20});
	tap_int(mspti_take(&r, 4, 1, &e) == ASC_OK && r.n_kernels == 1, 1,
		"records are waited for");
	tap_int(mspti_take(&r, 4, 1, &e) == ASC_OK && r.n_kernels == 0, 1, "but not for ever");
}

static void test_more(void)
{
	tap_ok(mspti_enable_calls() && !mspti_enable_calls(), "more is asked for once");
	tap_ok(calls_made().enabled & 1 << 3, "records of calls");
}

static void test_numbers(void)
{
	tap_int(mspti_push(UINT64_C(1) << 40, &e), ASC_OK, "a number is pushed");
	tap_int(mspti_pop(&e), ASC_OK, "and popped");
	tap_ok(calls_made().last_number == UINT64_C(1) << 40 && calls_made().popped == 1,
	       "as it is");
}

static void test_start(void)
{
	char reason[200] = "";

	give(&(struct fake_mspti_plan){.refusal = 6});
	tap_ok(!mspti_check(reason, sizeof reason), "a library that has to be preloaded");
	tap_has(reason, "LD_PRELOAD has no libmspti.so", "the reason says so");
	tap_int(calls_made().unsubscribed, 1, "the subscription is given back");
	give(&(struct fake_mspti_plan){.refusal = 0});
	tap_ok(mspti_check(reason, sizeof reason), "the library is usable: %s", reason);
	tap_int(calls_made().unsubscribed, 2,
		"that it is asked for leaves nothing: another process may");
	tap_int(mspti_start(&e), ASC_OK, "collecting begins");
	tap_ok(mspti_check(reason, sizeof reason), "and is usable still");
	tap_int(calls_made().subscribed, 3, "one subscription each");
	tap_int(calls_made().enabled, 1 << 2 | 1 << 8, "kernels and numbers are asked for");
}

static void test_stop(void)
{
	mspti_stop();
	mspti_stop();
	tap_int(calls_made().unsubscribed, 3, "the subscription ends once");
	tap_int(calls_made().disabled, 1 << 2 | 1 << 3 | 1 << 6 | 1 << 7 | 1 << 8,
		"and what was asked for");
}

/* More records than earlier lists have room for. */
static void fail_memory(const struct bytes *b)
{
	struct mspti_records r;

	give(&(struct fake_mspti_plan){.records = b->data, .bytes = b->n, .buffer_bytes = b->n});
	no_memory = true;
	tap_int(mspti_take(&r, 0, 0, &e), ASC_NOMEM, "records without memory are lost");
	no_memory = false;
	tap_has(e.text, "records of MSPTI", "the message says what of");
	tap_int(mspti_take(&r, 0, 0, &e), ASC_OK, "later ones are not");
}

static void test_lost(void)
{
	static struct bytes kernels, links;

	for (uint64_t i = 0; i < 200; i++)
		put_kernel(&kernels, 1, 2, i);
	for (uint64_t i = 0; i < 400; i++)
		put_link(&links, 2, i, i);
	fail_memory(&kernels);
	fail_memory(&links);
}

/* An unknown record leaves unknown where the library reads on. */
static void test_broken(void)
{
	static struct bytes b;
	struct mspti_records r;

	put_kernel(&b, 1, 2, 3);
	put_unknown(&b);
	give(&(struct fake_mspti_plan){.records = b.data, .bytes = b.n, .buffer_bytes = b.n});
	tap_int(mspti_take(&r, 0, 0, &e), ASC_IO, "a record that the library does not know");
	tap_has(e.text, "a kind that it does not know", "the message says so");
	tap_int(mspti_take(&r, 0, 0, &e), ASC_IO, "nor is anything known later");
}

/* In a process of its own: the library is looked for once. */
static void test_absent(void)
{
	const pid_t child = fork();
	int status = -1;

	if (child == 0) {
		char reason[300] = "";
		const bool there = setenv("ASCTUNE_CANN", "/no/such/cann", 1) != 0 ||
				   mspti_check(reason, sizeof reason);

		_exit(!there && strstr(reason, "/no/such/cann/lib64/libmspti.so") ? 0 : 1);
	}
	tap_ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
	       "a library that is not there is named");
}

static void put_named_kernel(struct bytes *b, const char *name, uint64_t start, uint64_t end,
			     uint64_t correlation)
{
	enum { NAME_AT = 44 };

	put_kernel(b, start, end, correlation);
	memcpy(b->data + b->n - 56 + NAME_AT, &name, sizeof name);
}

static enum asc_status count_mark(void *user, struct asc_err *err)
{
	(void)err;
	++*(int *)user;
	return ASC_OK;
}

/* Number of pieces of work that a watch hands out of these records, `expected` at least. */
static size_t watch(uint64_t number, mspti_mark_fn *mark, const struct bytes *b, size_t expected,
		    const struct work **list)
{
	int marks = 0;
	size_t n = 0;

	tap_int(mspti_watch(number, mark, &marks, &e), ASC_OK, "work is watched");
	tap_int(marks, mark != NULL, "the begin is marked once, where it is to be");
	give(&(struct fake_mspti_plan){.records = b->data, .bytes = b->n, .buffer_bytes = 4096});
	tap_int(mspti_watched(number, expected, list, &n, &e), ASC_OK, "and handed out");
	return n;
}

/* All work of a number and behind it, in place of kernels alone. */
static void test_watch(void)
{
	enum { NUMBER = 4096 };
	const size_t all = (size_t)1 << 2 | (size_t)1 << 6 | (size_t)1 << 7;
	struct bytes b = {.n = 0};
	const struct work *list = NULL;

	put_named_kernel(&b, "softmax", 5, 9, 990); /* of before, late */
	put_transfer(&b, 6, 32, 70, 1000);
	put_link(&b, 2, NUMBER, 1001);
	put_named_kernel(&b, "softmax", 100, 150, 1001);
	put_transfer(&b, 7, 64, 160, 1002);
	const size_t n = watch(NUMBER, NULL, &b, 3, &list);

	tap_int((int64_t)n, 3, "but a kernel of before, whose record is late");
	tap_ok((calls_made().enabled & all) == all, "copies and fills were enabled");
	tap_ok((calls_made().disabled & ((size_t)1 << 6 | (size_t)1 << 7)) ==
		       ((size_t)1 << 6 | (size_t)1 << 7),
	       "copies and fills are disabled again");
	if (n != 3)
		return;
	tap_ok(list[0].kind == WORK_FILL && list[0].bytes == 32,
	       "a fill ahead of the first kernel has its bytes");
	tap_ok(list[1].kind == WORK_KERNEL && list[1].start == 100 && list[1].end == 150,
	       "a kernel its times");
	tap_str(list[1].name, "softmax", "and its name");
	tap_ok(list[2].kind == WORK_COPY && list[2].bytes == 64 && list[2].start == 160 &&
		       list[2].end == 180,
	       "a copy its bytes and times");
	b.n = 0;
	put_transfer(&b, 7, 64, 300, 1003);
	tap_int((int64_t)watch(NUMBER + 1, NULL, &b, 1, &list), 1,
		"work of other threads alone is taken without a link");
}

/* Work behind a mark counts, of any thread, and nothing else. */
static void test_marked(void)
{
	enum { NUMBER = 5000 };
	struct bytes b = {.n = 0};
	const struct work *list = NULL;

	put_named_kernel(&b, "before", 5, 9, 1990); /* of another thread, late */
	put_transfer(&b, 6, MSPTI_MARK_BYTES, 10, 2000);
	put_named_kernel(&b, "ahead", 20, 90, 2001); /* of another thread */
	put_link(&b, 2, NUMBER, 2002);
	put_named_kernel(&b, "own", 100, 150, 2002);
	put_transfer(&b, 6, MSPTI_MARK_BYTES, 160, 2003); /* of the launch */
	size_t n = watch(NUMBER, count_mark, &b, 3, &list);

	tap_int((int64_t)n, 3, "all behind the mark is the launch's");
	tap_str(n == 3 ? list[0].name : "", "ahead", "another thread's kernel ahead of its own");
	tap_ok(n == 3 && list[2].kind == WORK_FILL, "and a fill of the mark's size");
	b.n = 0;
	put_named_kernel(&b, "before", 160, 190, 2004);
	put_transfer(&b, 6, MSPTI_MARK_BYTES, 200, 2010);
	put_named_kernel(&b, "other", 300, 340, 2011);
	n = watch(NUMBER + 1, count_mark, &b, 1, &list);
	tap_int((int64_t)n, 1, "of other threads alone, nothing of before");
	tap_str(n == 1 ? list[0].name : "", "other", "but what they have launched since");
	b.n = 0;
	put_named_kernel(&b, "before", 400, 440, 2012);
	put_link(&b, 2, NUMBER + 2, 2021);
	put_named_kernel(&b, "own", 500, 550, 2021);
	n = watch(NUMBER + 2, count_mark, &b, 1, &list);
	tap_str(n == 1 ? list[0].name : "", "own", "where its record is lost, from the own one on");
}

int main(void)
{
	test_absent();
	if (!tap_ok(make_cann(), "the library of the tests is named"))
		return tap_done();
	test_start();
	test_take();
	test_buffers();
	test_launches();
	test_late();
	test_more();
	test_numbers();
	test_lost();
	test_watch();
	test_marked();
	test_broken();
	test_stop();
	dir_remove(folder);
	return tap_done();
}
