/* The kernels of our own are compiled, where libnvrtc is, for the oldest and a new architecture.
 * Needs no GPU; what they compute is looked at by ci/device-tests.
 * covers: cuda_device.c cuda_checks_source.c */
#include "tuner/device/cuda/cuda_device.h"

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/device/cuda/cuda_checks.h"
#include "tuner/device/cuda/cuda_peaks.h"
#include "tuner/device/libs/nvrtc_library.h"

static void test_compile(const char *name, const char *source, const char *arch)
{
	struct buf image = {0};
	struct asc_err e = {0};

	if (!tap_int(cuda_compile(arch, source, &image, &e), ASC_OK, "%s for %s", name, arch))
		tap_note("%s", e.text);
	tap_has(buf_str(&image), "ELF", "is a cubin");
	buf_fini(&image);
}

static void test_both(const char *arch)
{
	struct buf checks = {0};

	for (int t = 0; t < DTYPE_COUNT; t++)
		buf_print(&checks, "#define DTYPE_%s %d\n", dtype_name((enum dtype)t), t);
	buf_add_str(&checks, cuda_checks_prelude);
	buf_add_str(&checks, cuda_compare_source);
	buf_add_str(&checks, cuda_sums_source);
	buf_add_str(&checks, cuda_empty_source);
	test_compile("checks", buf_str(&checks), arch);
	test_compile("peaks", cuda_peaks_source, arch);
	buf_fini(&checks);
}

int main(void)
{
	const struct nvrtc *n;
	struct buf image = {0};
	struct asc_err e;

	if (nvrtc_open(&n, &e)) {
		tap_skip("%s", e.text);
		return tap_done();
	}
	test_both("sm_75");
	test_both("sm_80");
	test_both("sm_89");
	test_both("sm_90a");
	tap_int(cuda_compile("sm_1", cuda_peaks_source, &image, &e), ASC_ABSENT,
		"an architecture that the compiler does not know: %s", e.text);
	buf_fini(&image);
	return tap_done();
}
