/* What a test gives to the libmspti of tests/unit/libs/fake_mspti.c, which is opened like the real
 * one. */
#ifndef ASCTUNE_TESTS_UNIT_LIBS_FAKE_MSPTI_H
#define ASCTUNE_TESTS_UNIT_LIBS_FAKE_MSPTI_H

#include <stddef.h>
#include <stdint.h>

struct fake_mspti_plan {
	const uint8_t *records; /* that the next flush brings, back to back; borrowed */
	size_t bytes;
	size_t buffer_bytes; /* of records in a buffer at most */
	unsigned refusal;    /* answer of msptiActivityEnable */
	size_t late;         /* flushes that bring nothing yet */
};

/* What the library was asked to do. */
struct fake_mspti_calls {
	size_t buffers, unwalked; /* buffers handed back; those not walked to their end */
	size_t subscribed, unsubscribed, enabled, disabled, pushed, popped;
	uint64_t last_number;
};

/* Found by their names in the library. */
void fake_mspti_give(const struct fake_mspti_plan *plan);
void fake_mspti_read_calls(struct fake_mspti_calls *out);

#endif
