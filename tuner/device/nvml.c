#include "tuner/device/nvml.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/library.h"

/* Types and numbers of NVIDIA's nvml.h, version 12 and 13; every function returns 0 for success. */
enum { CLOCK_SM = 1, MODE_ON = 1 };

struct nvmlDevice_st;

struct nvml {
	unsigned (*init)(void);
	unsigned (*driver_version)(char *text, unsigned size);
	unsigned (*find)(const char *bus, struct nvmlDevice_st **out);
	unsigned (*clock)(struct nvmlDevice_st *d, unsigned type, unsigned *mhz);
	unsigned (*max_clock)(struct nvmlDevice_st *d, unsigned type, unsigned *mhz);
	unsigned (*reasons)(struct nvmlDevice_st *d, unsigned long long *mask);
	unsigned (*old_reasons)(struct nvmlDevice_st *d, unsigned long long *mask);
	unsigned (*mig)(struct nvmlDevice_st *d, unsigned *current, unsigned *pending);
};

#define REQUIRED(name, member)                                                                     \
	{                                                                                          \
		name, offsetof(struct nvml, member), false                                         \
	}
#define OPTIONAL(name, member)                                                                     \
	{                                                                                          \
		name, offsetof(struct nvml, member), true                                          \
	}

/* Older drivers know the reasons by another name. */
static const struct library_symbol symbols[] = {
	REQUIRED("nvmlInit_v2", init),
	REQUIRED("nvmlSystemGetDriverVersion", driver_version),
	REQUIRED("nvmlDeviceGetHandleByPciBusId_v2", find),
	REQUIRED("nvmlDeviceGetClockInfo", clock),
	REQUIRED("nvmlDeviceGetMaxClockInfo", max_clock),
	OPTIONAL("nvmlDeviceGetCurrentClocksEventReasons", reasons),
	OPTIONAL("nvmlDeviceGetCurrentClocksThrottleReasons", old_reasons),
	OPTIONAL("nvmlDeviceGetMigMode", mig),
	{0}};

struct nvml_device {
	struct nvmlDevice_st *handle;
};

static struct {
	pthread_once_t once;
	struct nvml nvml;
	bool usable;
} library = {.once = PTHREAD_ONCE_INIT};

static void open_library(void)
{
	struct asc_err e;

	if (library_open("libnvidia-ml.so.1", symbols, &library.nvml, &e))
		return;
	if (!library.nvml.reasons)
		library.nvml.reasons = library.nvml.old_reasons;
	library.usable = library.nvml.init() == 0;
}

static const struct nvml *get_library(void)
{
	(void)pthread_once(&library.once, open_library);
	return library.usable ? &library.nvml : NULL;
}

void nvml_driver_version(char *text, size_t size)
{
	const struct nvml *nvml = get_library();

	*text = '\0';
	if (nvml && nvml->driver_version(text, (unsigned)size) != 0)
		*text = '\0';
}

struct nvml_device *nvml_device_find(const char *bus)
{
	const struct nvml *nvml = get_library();
	struct nvml_device *d = nvml ? calloc(1, sizeof *d) : NULL;

	if (d && nvml->find(bus, &d->handle) == 0)
		return d;
	free(d);
	return NULL;
}

void nvml_device_free(struct nvml_device *d)
{
	free(d);
}

void nvml_device_read(const struct nvml_device *d, struct nvml_reading *out)
{
	const struct nvml *nvml = &library.nvml;

	*out = (struct nvml_reading){0};
	(void)nvml->clock(d->handle, CLOCK_SM, &out->mhz);
	if (nvml->reasons)
		(void)nvml->reasons(d->handle, &out->reasons);
}

unsigned nvml_device_max_mhz(const struct nvml_device *d)
{
	unsigned mhz = 0;

	(void)library.nvml.max_clock(d->handle, CLOCK_SM, &mhz);
	return mhz;
}

bool nvml_device_is_split(const struct nvml_device *d)
{
	unsigned current = 0, pending = 0;

	return library.nvml.mig && library.nvml.mig(d->handle, &current, &pending) == 0 &&
	       current == MODE_ON;
}
