/* Readings of a GPU's clock, of what lowers it, of power and temperature, through NVML, by
 * declarations of our own: libnvidia-ml.so.1 is opened at run time. A library that is missing or
 * refuses gives no readings, which is no error. */
#ifndef ASCTUNE_DEVICE_LIBS_NVML_H
#define ASCTUNE_DEVICE_LIBS_NVML_H

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

struct nvml_process { /* nvmlProcessInfo_v2_t */
	unsigned pid;
	unsigned long long memory_bytes;
	unsigned gpu_instance, compute_instance;
};

enum { NVML_FIELD_POWER = 186 /* NVML_FI_DEV_POWER_INSTANT, mW */, NVML_TYPE_UNSIGNED = 1 };

/* Checks that NVML is usable here; `reason` says why not. */
bool nvml_check(char *reason, size_t size);

void nvml_driver_version(char *text, size_t size); /* prints "" when unknown */

/* Finds the device at a PCI address as the CUDA driver prints it, since NVML numbers devices
 * otherwise. NULL when there is none or no memory. */
struct nvml_device *nvml_device_find(const char *bus);
void nvml_device_free(struct nvml_device *d);

/* Reads the clock of the processors and the reasons for it in less than a microsecond, from a cache
 * of the driver. */
void nvml_device_read(const struct nvml_device *d, struct nvml_reading *out);
/* Reads the other figures as cheaply. Power is of the moment where the driver has it, else
 * the mean of a second. */
void nvml_device_read_state(const struct nvml_device *d, struct nvml_state *out);

/* Reads the energy since the driver was loaded, mJ; takes milliseconds. The counter moves ten times
 * a second. False where energy is not counted. */
bool nvml_device_read_energy(const struct nvml_device *d, uint64_t *mj);

/* Counts the processes that compute on the device now, this one among them; those of another
 * container may not be seen. False where it is not known. */
bool nvml_device_count_processes(const struct nvml_device *d, unsigned *n);

unsigned nvml_device_max_mhz(const struct nvml_device *d); /* takes about a millisecond */
bool nvml_device_is_split(const struct nvml_device *d);    /* true in multi-instance mode */

#endif
