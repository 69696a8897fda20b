/* The stream over a reference, against words worked out by Python's integers.
 * covers: device_mask.c */
#include "tuner/device/device_mask.h"

#include <string.h>

#include "tests/tap.h"

static const struct device_mask mask = {{0x0123456789abcdef, 0xfedcba9876543210, 42}};

/* Word of the stream: the mask of a zero. */
static uint64_t word(const struct device_mask *m, uint64_t i)
{
	const double zero = 0;
	double masked;
	uint64_t bits;

	device_mask_apply(m, i, &zero, 1, &masked);
	memcpy(&bits, &masked, sizeof bits);
	return bits;
}

int main(void)
{
	static const struct {
		uint64_t i, word;
	} wanted[] = {{0, 0xa0e1eaaae134de80},
		      {1, 0x4193a22944fc04b9},
		      {2, 0x277653c303feafa2},
		      {70001, 0x3f9a06fb6a6f67d9},
		      {UINT64_C(1) << 40, 0x14a232534e63544d}};
	double numbers[] = {1, -0.0, 3.5}, masked[3];
	struct device_mask a, b;

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		tap_ok(word(&mask, wanted[i].i) == wanted[i].word, "word %llu of the stream",
		       (unsigned long long)wanted[i].i);
	device_mask_apply(&mask, 5, numbers, 3, masked);
	tap_ok(memcmp(masked, numbers, sizeof *numbers) != 0, "numbers are masked");
	device_mask_apply(&mask, 6, masked + 1, 2, masked + 1);
	device_mask_apply(&mask, 5, masked, 1, masked);
	tap_ok(memcmp(masked, numbers, sizeof numbers) == 0,
	       "the mask is taken off, in place and in parts");
	device_mask_draw(&a);
	device_mask_draw(&b);
	tap_ok(word(&a, 0) != word(&b, 0), "each reference has a key of its own");
	return tap_done();
}
