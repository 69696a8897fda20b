/* How much memory a GPU's bandwidth is measured with. Needs no GPU; the figures come from
 * ci/device-tests.
 * covers: cuda_peaks.c */
#include "tuner/device/cuda/cuda_peaks.h"

#include "tests/tap.h"

#define GIB (INT64_C(1) << 30)

static size_t bytes(int64_t memory, int64_t l2)
{
	struct facts f = {0};

	facts_set(&f, FACT_MEMORY_BYTES, memory);
	facts_set(&f, FACT_L2_BYTES, l2);
	return cuda_peaks_triad_bytes(&f);
}

int main(void)
{
	tap_int(bytes(141 * GIB, 60 << 20), 3 * GIB, "three gigabytes of a large memory");
	tap_int(bytes(8 * GIB, 24 << 20), GIB / 2, "a sixteenth of a small one");
	tap_int(bytes(GIB, 24 << 20), 0, "none where L2 would hold much of it");
	tap_int(bytes(0, 0), 0, "nor where it is not known");
	return tap_done();
}
