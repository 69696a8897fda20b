/* Readings of a GPU's clock and of what lowers it, through NVML, from own declarations:
 * libnvidia-ml.so.1 is opened at run time. Where it is missing or refuses there are no readings,
 * which is no error. */
#ifndef ASCTUNE_DEVICE_NVML_H
#define ASCTUNE_DEVICE_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nvml_device;

enum { NVML_VERSION_SIZE = 80 };

/* Bits of the reasons for which the clock is not the highest (nvml.h, nvmlClocksEventReason...). */
enum {
	NVML_REASON_POWER_CAP = 0x4,
	NVML_REASON_SLOWDOWN = 0x8,
	NVML_REASON_THERMAL = 0x20,
	NVML_REASON_HARDWARE_THERMAL = 0x40,
	NVML_REASON_POWER_BRAKE = 0x80
};

struct nvml_reading { /* 0: unknown */
	unsigned mhz;
	unsigned long long reasons;
};

struct nvml_state { /* 0: unknown */
	unsigned memory_mhz, milliwatts, celsius;
};

struct nvml_field { /* nvmlFieldValue_t */
	unsigned id, scope;
	long long timestamp_us, latency_us;
	unsigned type, rc; /* NVML_TYPE_..., a result code */
	union {
		double real;
		unsigned integer;
		unsigned long long wide;
	} value;
};

enum { NVML_FIELD_POWER = 186 /* NVML_FI_DEV_POWER_INSTANT, mW */, NVML_TYPE_UNSIGNED = 1 };

/* Usable here? If not, `reason` says why. */
bool nvml_check(char *reason, size_t size);

void nvml_driver_version(char *text, size_t size); /* "" when unknown */

/* The device at a PCI address as the CUDA driver prints it: NVML numbers devices otherwise. NULL
 * when there is none or no memory. */
struct nvml_device *nvml_device_find(const char *bus);
void nvml_device_free(struct nvml_device *d);

/* The clock of the processors and the reasons; below a microsecond, from a cache of the driver's.
 */
void nvml_device_read(const struct nvml_device *d, struct nvml_reading *out);
/* The rest, as cheap: power is one of the moment where the driver tells that, else the mean of a
 * second. */
void nvml_device_read_state(const struct nvml_device *d, struct nvml_state *out);

/* Energy since the driver was loaded, mJ; takes milliseconds, moves ten times a second. False where
 * it is not counted. */
bool nvml_device_read_energy(const struct nvml_device *d, uint64_t *mj);

unsigned nvml_device_max_mhz(const struct nvml_device *d); /* takes about a millisecond */
bool nvml_device_is_split(const struct nvml_device *d);    /* multi-instance mode */

#endif
