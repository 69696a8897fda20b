/* CUPTI's records: their layout, and that the library is found or not with words. Needs no GPU. */
#include "tuner/libs/cupti.h"

#include <string.h>

#include "tests/tap.h"

/* CUpti_ActivityKernel10 of CUDA 13.0: kind 10; start, end and correlationId at 16, 24 and 92. */
static void test_parse(void)
{
	unsigned char record[216] = {10};
	const uint64_t start = 1700000000123456789, end = start + 5376;
	const uint32_t correlation = 77;
	struct cupti_kernel k;

	memset(record + 4, 0xEE, sizeof record - 4);
	memcpy(record + 16, &start, sizeof start);
	memcpy(record + 24, &end, sizeof end);
	memcpy(record + 92, &correlation, sizeof correlation);
	cupti_kernel_parse(record, &k);
	tap_ok(k.start == start && k.end == end, "when it began and ended");
	tap_int(k.correlation, 77, "which launch it was");
}

int main(void)
{
	char reason[256] = "";
	struct asc_err e;

	test_parse();
	if (cupti_check(reason, sizeof reason)) {
		tap_ok(*reason == '\0', "the library is there, in a version that is known");
	} else {
		tap_ok(*reason, "why it is not: %s", reason);
		tap_int(cupti_start(&e), ASC_ABSENT, "nothing is collected");
		tap_str(e.text, reason, "for the same reason");
	}
	return tap_done();
}
