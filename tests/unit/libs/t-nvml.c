/* Readings through NVML, from a library of the tests that has its name: the loader gives what is
 * open under a name before it looks for a file.
 * covers: nvml.c */
#include "tuner/device/libs/nvml.h"

#include <dlfcn.h>
#include <string.h>

#include "tests/tap.h"

static void test_device(void *library)
{
	struct nvml_device *d = nvml_device_find("0000:01:00.0");
	int *momentary = dlsym(library, "fake_nvml_momentary");
	unsigned *processes = dlsym(library, "fake_nvml_processes"), others = 1;
	struct nvml_reading now;
	struct nvml_state state;
	uint64_t mj;

	if (!tap_ok(d && momentary && processes, "a GPU is found by its PCI address"))
		return;
	nvml_device_read(d, &now);
	tap_int(now.mhz, 1410, "the clock of the processors");
	tap_int(now.reasons, NVML_REASON_POWER_CAP | NVML_REASON_THERMAL,
		"reasons are read under their older name, too");
	nvml_device_read_state(d, &state);
	tap_int(state.memory_mhz, 1593, "the clock of the memory");
	tap_int(state.celsius, 61, "the temperature");
	tap_int(state.milliwatts, 312000, "the power of the moment");
	*momentary = 0;
	nvml_device_read_state(d, &state);
	tap_int(state.milliwatts, 250000, "the mean power where that of the moment is not told");
	tap_ok(nvml_device_read_energy(d, &mj) && mj == 5000000000, "energy beyond 32 bits");
	tap_int(nvml_device_max_mhz(d), 1980, "the highest clock");
	tap_ok(nvml_device_is_split(d), "the mode of several instances");
	tap_ok(nvml_device_count_processes(d, &others) && others == 0, "nobody computes there");
	*processes = 40;
	tap_ok(nvml_device_count_processes(d, &others) && others == 40,
	       "more processes than there is room for are counted");
	nvml_device_free(d);
}

int main(void)
{
	void *library = dlopen(FAKE_NVML, RTLD_NOW | RTLD_LOCAL);
	char text[NVML_VERSION_SIZE], reason[256] = "";

	if (!tap_ok(library, "the library of the tests is open"))
		return tap_done();
	tap_ok(nvml_check(reason, sizeof reason), "NVML is usable: %s", reason);
	nvml_driver_version(text, sizeof text);
	tap_str(text, "550.54.15", "the driver's version");
	nvml_driver_version(text, 4);
	tap_str(text, "", "a version that does not fit is unknown");
	tap_ok(!nvml_device_find("0000:02:00.0"), "there is no other GPU");
	test_device(library);
	return tap_done();
}
