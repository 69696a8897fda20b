/* What is compiled to measure a GPU's peaks, where libnvrtc is, and how much memory that takes.
 * Needs no GPU; the figures come from ci/device-tests. */
#include "tuner/device/cuda_peaks.h"

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/nvrtc_library.h"
#include "tuner/device/cuda_compile.h"
#include "tuner/device/cuda_peaks_source.h"

#define GIB (INT64_C(1) << 30)

static size_t bytes(int64_t memory, int64_t l2)
{
	struct facts f = {0};

	facts_set(&f, FACT_MEMORY_BYTES, memory);
	facts_set(&f, FACT_L2_BYTES, l2);
	return cuda_peaks_triad_bytes(&f);
}

static void test_memory(void)
{
	tap_int(bytes(141 * GIB, 60 << 20), 3 * GIB, "three gigabytes of a large memory");
	tap_int(bytes(8 * GIB, 24 << 20), GIB / 2, "a sixteenth of a small one");
	tap_int(bytes(GIB, 24 << 20), 0, "none where L2 would hold much of it");
	tap_int(bytes(0, 0), 0, "nor where it is not known");
}

static void test_compile(const char *arch)
{
	struct buf image = {0};
	struct asc_err e = {0};

	if (!tap_int(cuda_compile(arch, cuda_peaks_source, &image, &e), ASC_OK,
		     "the kernels are compiled for %s", arch))
		tap_note("%s", e.text);
	tap_has(buf_str(&image), "ELF", "to a cubin");
	buf_fini(&image);
}

int main(void)
{
	const struct nvrtc *n;
	struct buf image = {0};
	struct asc_err e;

	test_memory();
	if (nvrtc_open(&n, &e)) {
		tap_skip("%s", e.text);
		return tap_done();
	}
	test_compile("sm_75");
	test_compile("sm_90a");
	tap_int(cuda_compile("sm_1", cuda_peaks_source, &image, &e), ASC_ABSENT,
		"an architecture that the compiler does not know: %s", e.text);
	buf_fini(&image);
	return tap_done();
}
