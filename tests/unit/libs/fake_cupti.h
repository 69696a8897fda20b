/* What a test gives to the libcupti of tests/unit/libs/fake_cupti.c (records) and
 * fake_cupti_range.c (counters), which is opened like the real one. */
#ifndef ASCTUNE_TESTS_UNIT_LIBS_FAKE_CUPTI_H
#define ASCTUNE_TESTS_UNIT_LIBS_FAKE_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FAKE_RECORD_BYTES = 216, /* of CUpti_ActivityKernel10 */
	FAKE_KIND_COPY = 1,      /* CUPTI_ACTIVITY_KIND_MEMCPY */
	FAKE_KIND_FILL = 2,      /* CUPTI_ACTIVITY_KIND_MEMSET */
	FAKE_KIND_KERNEL = 10,   /* CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL */
	FAKE_FLUSH_FORCED = 1    /* CUPTI_ACTIVITY_FLAG_FLUSH_FORCED */
};

struct fake_records { /* records of FAKE_RECORD_BYTES each, borrowed until they are taken */
	const uint8_t *data;
	size_t n;
	size_t incomplete; /* the last ones, which come by force only */
};

/* Records that the next flush brings, and how many were dropped. Found by its name in the library.
 */
void fake_cupti_give(const struct fake_records *records, size_t n_lost);

unsigned fake_cupti_forced(void);  /* flushes by force so far */
unsigned fake_cupti_enabled(void); /* kinds of records that are enabled, a bit each */
unsigned fake_cupti_left(void);    /* calls of Finalize so far, refused ones, too */
void fake_cupti_refuse(void);      /* the next call of Finalize or RegisterCallbacks, whichever */

/* ---- the range profiler ---- */

enum { FAKE_PASSES = 7 };

/* How the range profiler behaves; zeroed: it counts. */
struct fake_profiler {
	const char *refuse; /* function that answers with rc; NULL: none does */
	unsigned rc;
	/* Members of DeviceSupported, in their order from isSupported on, that are not 3. */
	unsigned levels[7];  /* 0: supported */
	const char *chip;    /* NULL: GH100 */
	bool endless;        /* no pass is the last one */
	size_t lost;         /* kernels of a launch that are no ranges, in silence */
	size_t dropped;      /* ranges that it says it has dropped */
	const char *nan;     /* counter whose value is NaN */
	size_t dies_in_pass; /* from 1 on; 0: it does not */
};

/* Found by their names in the library. The first one also forgets all rounds of before. */
void fake_cupti_play(const struct fake_profiler *how);
void fake_cupti_launch(size_t kernels); /* what the driver tells CUPTI */
size_t fake_cupti_rounds(void);         /* calls of Start so far */

/* The value of a counter of kernel k, from 0: `gpu__time_duration.sum` is 1000 (k + 1), any other
 * the length of its name times k + 1. */

#endif
