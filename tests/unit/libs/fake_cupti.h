/* What a test gives to the libcupti of tests/unit/libs/fake_cupti.c, which is opened like the real
 * one. */
#ifndef ASCTUNE_TESTS_UNIT_LIBS_FAKE_CUPTI_H
#define ASCTUNE_TESTS_UNIT_LIBS_FAKE_CUPTI_H

#include <stddef.h>
#include <stdint.h>

enum {
	FAKE_RECORD_BYTES = 216, /* of CUpti_ActivityKernel10 */
	FAKE_KIND_KERNEL = 10,   /* CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL */
	FAKE_FLUSH_FORCED = 1    /* CUPTI_ACTIVITY_FLAG_FLUSH_FORCED */
};

struct fake_records { /* records of FAKE_RECORD_BYTES each, borrowed until they are taken */
	const uint8_t *data;
	size_t n;
};

/* Records that the next flush brings, and how many were dropped. Found by its name in the library.
 */
void fake_cupti_give(const struct fake_records *records, size_t n_lost);

#endif
