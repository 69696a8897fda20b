/* CUPTI's records: their layout, what a libcupti of the tests hands back, and the words where there
 * is no library. Needs no GPU.
 * covers: cupti.c */
#include "tuner/device/libs/cupti.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/libs/fake_cupti.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/libs/work.h"

static struct asc_err e;

/* CUpti_ActivityKernel10 of CUDA 13.0: kind 10; start, end and correlationId at 16, 24 and 92. */
static void make_record(unsigned char *record, uint32_t kind, uint64_t start, uint64_t end,
			uint32_t correlation)
{
	memset(record, 0xEE, FAKE_RECORD_BYTES);
	memcpy(record, &kind, sizeof kind);
	memcpy(record + 16, &start, sizeof start);
	memcpy(record + 24, &end, sizeof end);
	memcpy(record + 92, &correlation, sizeof correlation);
}

static void test_parse(void)
{
	const uint64_t start = 1700000000123456789, end = start + 5376;
	unsigned char record[FAKE_RECORD_BYTES];
	struct cupti_kernel k;

	make_record(record, 10, start, end, 77);
	cupti_kernel_parse(record, &k);
	tap_ok(k.start == start && k.end == end, "when it began and ended");
	tap_int(k.correlation, 77, "which launch it was");
}

static void check_span(struct cupti_kernel a, struct cupti_kernel b, int64_t ns, const char *what)
{
	int64_t span = -1;

	tap_int(cupti_find_span((struct cupti_kernel[]){a, b}, 2, &span, &e), ASC_OK, "%s", what);
	tap_int(span, ns, "%s: its time", what);
}

static void check_no_span(struct cupti_kernel a, struct cupti_kernel b, const char *message)
{
	int64_t span = 0;

	tap_int(cupti_find_span((struct cupti_kernel[]){a, b}, 2, &span, &e), ASC_IO, "%s",
		message);
	tap_str(e.text, message, "the message names the times");
}

static void test_span(void)
{
	const struct cupti_kernel fine = {.start = 100, .end = 150};

	check_span(fine, (struct cupti_kernel){.start = 160, .end = 190}, 90, "one after another");
	check_span(fine, (struct cupti_kernel){.start = 90, .end = 120}, 60, "at the same time");
	check_span(fine, (struct cupti_kernel){.start = 150, .end = 150}, 50, "one without a time");
	check_no_span(fine, (struct cupti_kernel){0}, "CUPTI did not time a launch");
	check_no_span(fine, (struct cupti_kernel){.start = 100, .end = 99},
		      "CUPTI timed a launch from 100 ns to 99 ns");
	check_no_span((struct cupti_kernel){.start = 0, .end = 1},
		      (struct cupti_kernel){.start = UINT64_MAX - 1, .end = UINT64_MAX},
		      "CUPTI timed launches from 0 ns to 18446744073709551615 ns");
}

/* In a process of its own: the library is looked for once. */
static void test_absent(void)
{
	const pid_t child = fork();
	int status = -1;

	if (child == 0) {
		char reason[256] = "";
		const bool there = setenv("ASCTUNE_CUPTI", "/no/such/libcupti.so", 1) != 0 ||
				   cupti_check(reason, sizeof reason);

		_exit(!there && strstr(reason, "/no/such/libcupti.so") &&
				      cupti_start(&e) == ASC_ABSENT && strcmp(e.text, reason) == 0
			      ? 0
			      : 1);
	}
	tap_ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
	       "a library that is not there is named, whatever is asked of it");
}

/* Asks a copy of the library of the tests what its function `name` counts. */
static unsigned ask(void *library, const char *name)
{
	void *symbol = library ? dlsym(library, name) : NULL;
	unsigned (*function)(void);

	if (!symbol)
		return 0;
	memcpy(&function, &symbol, sizeof function);
	return function();
}

/* The library that the process has loaded goes before all others, the first of two. */
static bool takes_loaded(const char *folder)
{
	char first[400], second[400];
	struct buf library = {0};

	(void)snprintf(first, sizeof first, "%s/libcupti.so.13", folder);
	(void)snprintf(second, sizeof second, "%s/libcupti-1f2e3d4c.so.12", folder);
	/* A copy, since the loader knows a file by its inode. */
	if (unsetenv("ASCTUNE_CUPTI") != 0 || symlink(FAKE_CUPTI, first) != 0 ||
	    file_read(FAKE_CUPTI, 0, &library, &e) ||
	    file_write(second, library.data, library.len, &e))
		return false;
	buf_fini(&library);
	void *taken = dlopen(first, RTLD_NOW | RTLD_LOCAL);

	if (!taken || cupti_find_second())
		return false;
	void *left = dlopen(second, RTLD_NOW | RTLD_LOCAL);
	const char *other = cupti_find_second();

	return left && other && strcmp(other, second) == 0 && cupti_start(&e) == ASC_OK &&
	       ask(taken, "fake_cupti_enabled") == 1U << FAKE_KIND_KERNEL &&
	       ask(left, "fake_cupti_enabled") == 0;
}

static void test_loaded(void)
{
	const char *base = getenv("TMPDIR");
	char folder[300];
	int status = -1;

	(void)snprintf(folder, sizeof folder, "%s/loaded-XXXXXX", base && *base ? base : "/tmp");
	if (!tap_ok(mkdtemp(folder), "a folder"))
		return;
	const pid_t child = fork(); /* the library is looked for once in a process */

	if (child == 0)
		_exit(takes_loaded(folder) ? 0 : 1);
	tap_ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
	       "what the process has loaded is taken, and a second copy is known");
	dir_remove(folder);
}

static void give_records(const struct fake_records *records, size_t n_lost)
{
	void *library = dlopen(FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "fake_cupti_give") : NULL;
	void (*function)(const struct fake_records *, size_t);

	if (!tap_ok(symbol, "the library that was named is open"))
		return;
	memcpy(&function, &symbol, sizeof function);
	function(records, n_lost);
}

static void give(const unsigned char *records, size_t n, size_t n_lost)
{
	give_records(&(struct fake_records){.data = records, .n = n}, n_lost);
}

static void give_incomplete(const unsigned char *records, size_t n, size_t incomplete)
{
	give_records(&(struct fake_records){records, n, incomplete}, 0);
}

static void test_take(void)
{
	enum { KERNELS = 2000, RECORDS = KERNELS + 1 }; /* more than a buffer holds */
	unsigned char *records = calloc(RECORDS, FAKE_RECORD_BYTES);
	const struct cupti_kernel *list;
	size_t n = 0, in_order = 0;

	for (uint32_t i = 0; i < KERNELS; i++) /* the last launch first */
		make_record(records + (size_t)i * FAKE_RECORD_BYTES, 10, 100 + i, 200 + i,
			    KERNELS - i);
	make_record(records + (size_t)KERNELS * FAKE_RECORD_BYTES, 1, 1, 2, 3);
	give(records, RECORDS, 0);
	tap_int(cupti_take(CUPTI_ALL, &list, &n, &e), ASC_OK, "records are taken");
	tap_int(n, KERNELS, "those of kernels");
	for (size_t i = 0; i < n; i++)
		in_order += list[i].correlation == i + 1 && list[i].start == 100 + KERNELS - 1 - i;
	tap_int(in_order, KERNELS, "in the order of their launches");
	tap_int(cupti_take(CUPTI_ALL, &list, &n, &e) == ASC_OK && n == 0, true,
		"each of them once");
	give(records, 3, 2);
	tap_int(cupti_take(CUPTI_ALL, &list, &n, &e), ASC_IO,
		"records that were dropped are an error");
	tap_has(e.text, "CUPTI dropped 2 records", "with their number");
	tap_int(cupti_take(CUPTI_ALL, &list, &n, &e) == ASC_OK && n == 0, true,
		"and none stays for later");
	free(records);
}

static unsigned count_forced(void)
{
	return ask(dlopen(FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD), "fake_cupti_forced");
}

static void test_force(void)
{
	enum { KERNELS = 3 };
	unsigned char records[KERNELS * FAKE_RECORD_BYTES];
	const struct cupti_kernel *list;
	const unsigned before = count_forced();
	size_t n;

	for (uint32_t i = 0; i < KERNELS; i++)
		make_record(records + (size_t)i * FAKE_RECORD_BYTES, 10, 100 + i, 200 + i, i + 1);
	give(records, KERNELS, 0);
	tap_ok(cupti_take(KERNELS, &list, &n, &e) == ASC_OK && n == KERNELS,
	       "as many as are expected");
	tap_int(count_forced(), before, "come without force");
	give_incomplete(records, KERNELS, 1);
	tap_ok(cupti_take(KERNELS, &list, &n, &e) == ASC_OK && n == KERNELS,
	       "one that is incomplete comes, too");
	tap_int(count_forced(), before + 1, "by force");
	give_incomplete(records, KERNELS, KERNELS);
	tap_ok(cupti_take(CUPTI_ALL, &list, &n, &e) == ASC_OK && n == KERNELS,
	       "so do all where their number is not known");
	tap_int(count_forced(), before + 2, "at once");
}

static unsigned enabled(void)
{
	return ask(dlopen(FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD), "fake_cupti_enabled");
}

/* CUpti_ActivityMemcpy6 and CUpti_ActivityMemset4 of CUDA 13.0: bytes, start, end and correlationId
 * at 8, 16, 24 and 44. */
static void make_transfer(unsigned char *record, uint32_t kind, uint64_t bytes, uint64_t start,
			  uint32_t correlation)
{
	make_record(record, kind, start, start + 5, 0xEEEEEEEE);
	memcpy(record + 8, &bytes, sizeof bytes);
	memcpy(record + 44, &correlation, sizeof correlation);
}

/* Work of all kinds is there while it is watched, and kernels alone before and after. */
static void test_watch(void)
{
	enum { RECORDS = 4 };
	const unsigned kernels = 1U << 10, all = 1U << 10 | 1U << 1 | 1U << 2;
	const uint32_t grid[3] = {7, 8, 9};
	const char *const name = "_Z7softmaxPf";
	unsigned char records[RECORDS * FAKE_RECORD_BYTES];
	const struct work *list = NULL;
	const struct cupti_kernel *old;
	size_t n = 0;

	make_record(records, 10, 100, 120, 1);
	memcpy(records + 52, grid, sizeof grid);
	memcpy(records + 104, &name, sizeof name);
	make_transfer(records + FAKE_RECORD_BYTES, 1, 4096, 130, 2);
	make_transfer(records + 2 * FAKE_RECORD_BYTES, 2, 64, 140, 3);
	make_record(records + 3 * FAKE_RECORD_BYTES, 7, 1, 2, 4);
	tap_int(enabled(), kernels, "records of kernels");
	give(records, 1, 0);
	tap_int(cupti_watch(&e), ASC_OK, "work is watched");
	tap_int(enabled(), all, "copies and fills, too");
	give(records, RECORDS, 0);
	tap_int(cupti_watched(&list, &n, &e), ASC_OK, "and handed out");
	tap_int((int64_t)n, 3, "but what was there before, and other kinds");
	tap_int(enabled(), kernels, "records of kernels alone again");
	if (n != 3)
		return;
	tap_ok(list[0].kind == WORK_KERNEL && list[1].kind == WORK_COPY &&
		       list[2].kind == WORK_FILL,
	       "of each kind one");
	tap_str(list[0].name, "_Z7softmaxPf", "a kernel has a name");
	tap_ok(list[0].grid[0] == 7 && list[0].grid[1] == 8 && list[0].grid[2] == 9, "and a grid");
	tap_ok(list[0].start == 100 && list[0].end == 120 && list[0].correlation == 1,
	       "its times and its call");
	tap_ok(list[1].bytes == 4096 && list[1].start == 130 && list[1].end == 135 &&
		       list[1].correlation == 2,
	       "a copy has its bytes");
	tap_ok(list[2].bytes == 64 && list[2].correlation == 3, "a fill as well");
	tap_ok(cupti_take(CUPTI_ALL, &old, &n, &e) == ASC_OK && n == 0,
	       "no kernel of these is taken again");
	give(records, RECORDS, 0);
	tap_ok(cupti_take(CUPTI_ALL, &old, &n, &e) == ASC_OK && n == 1, "later ones are");
	tap_int(cupti_watch(&e), ASC_OK, "once more");
	give(records, 1, 2);
	tap_int(cupti_watched(&list, &n, &e), ASC_IO, "records that were dropped are an error");
	tap_has(e.text, "CUPTI dropped 2 records", "with their number");
}

static void refuse_next(void)
{
	void *symbol = dlsym(dlopen(FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD), "fake_cupti_refuse");
	void (*function)(void);

	memcpy(&function, &symbol, sizeof function);
	function();
}

static unsigned count_left(void)
{
	return ask(dlopen(FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD), "fake_cupti_left");
}

static bool takes(size_t wanted)
{
	const struct cupti_kernel *list;
	size_t n = SIZE_MAX;

	return cupti_take(CUPTI_ALL, &list, &n, &e) == ASC_OK && n == wanted;
}

/* Kernels of while it is out of the process have no records; those of before are not lost. */
static void test_leave(void)
{
	const unsigned kernels = 1U << FAKE_KIND_KERNEL;
	unsigned char record[FAKE_RECORD_BYTES];

	make_record(record, 10, 100, 200, 1);
	give_incomplete(record, 1, 1);
	tap_int(cupti_leave(&e), ASC_OK, "CUPTI leaves the process");
	tap_int(enabled(), 0, "with all kinds of records");
	give(record, 1, 0);
	tap_ok(takes(1) && takes(0), "what had a record stays, and nothing is added");
	const unsigned forced = count_forced();

	tap_ok(cupti_leave(&e) == ASC_OK && count_left() == 1 && takes(0) &&
		       count_forced() == forced,
	       "it is asked for nothing meanwhile");
	tap_ok(cupti_pause(false, &e) == ASC_OK && enabled() == 0, "nor for records");
	refuse_next();
	tap_int(cupti_start(&e), ASC_ABSENT, "it may not come back, with another profiler there");
	tap_ok(takes(0), "nothing has a record then");
	give(record, 0, 0);
	tap_int(cupti_start(&e), ASC_OK, "it comes back");
	tap_int(enabled(), kernels, "with records of kernels");
	give(record, 1, 0);
	tap_ok(takes(1), "which are taken");
	refuse_next();
	tap_int(cupti_leave(&e), ASC_IO, "it may not leave");
	tap_int(enabled(), kernels, "and makes records as before");
	give(record, 1, 0);
	tap_ok(takes(1), "which are taken, too");
}

int main(void)
{
	char reason[256] = "";

	test_parse();
	test_span();
	test_absent();
	test_loaded();
	tap_int(setenv("ASCTUNE_CUPTI", FAKE_CUPTI, 1), 0, "the library of the tests is named");
	tap_ok(cupti_check(reason, sizeof reason), "a library in a version that is known");
	tap_int(cupti_start(&e), ASC_OK, "collecting begins");
	tap_int(cupti_start(&e), ASC_OK, "and goes on");
	test_take();
	test_force();
	test_watch();
	test_leave();
	return tap_done();
}
