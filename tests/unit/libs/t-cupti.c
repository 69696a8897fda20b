/* CUPTI's records: their layout, what a libcupti of the tests hands back, and the words where there
 * is no library. Needs no GPU.
 * covers: cupti.c */
#include "tuner/device/libs/cupti.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/libs/fake_cupti.h"

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

static void give(const unsigned char *records, size_t n, size_t n_lost)
{
	void *library = dlopen(FAKE_CUPTI, RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "fake_cupti_give") : NULL;
	void (*function)(const struct fake_records *, size_t);

	if (!tap_ok(symbol, "the library that was named is open"))
		return;
	memcpy(&function, &symbol, sizeof function);
	function(&(struct fake_records){records, n}, n_lost);
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
	tap_int(cupti_take(&list, &n, &e), ASC_OK, "records are taken");
	tap_int(n, KERNELS, "those of kernels");
	for (size_t i = 0; i < n; i++)
		in_order += list[i].correlation == i + 1 && list[i].start == 100 + KERNELS - 1 - i;
	tap_int(in_order, KERNELS, "in the order of their launches");
	tap_int(cupti_take(&list, &n, &e) == ASC_OK && n == 0, true, "each of them once");
	give(records, 3, 2);
	tap_int(cupti_take(&list, &n, &e), ASC_IO, "records that were dropped are an error");
	tap_has(e.text, "CUPTI dropped 2 records", "with their number");
	tap_int(cupti_take(&list, &n, &e) == ASC_OK && n == 0, true, "and none stays for later");
	free(records);
}

int main(void)
{
	char reason[256] = "";

	test_parse();
	test_span();
	test_absent();
	tap_int(setenv("ASCTUNE_CUPTI", FAKE_CUPTI, 1), 0, "the library of the tests is named");
	tap_ok(cupti_check(reason, sizeof reason), "a library in a version that is known");
	tap_int(cupti_start(&e), ASC_OK, "collecting begins");
	tap_int(cupti_start(&e), ASC_OK, "and goes on");
	test_take();
	return tap_done();
}
