#include "tuner/device/libs/nvml.h"

#include <stdlib.h>

#include "tuner/device/libs/library.h"

/* Types and numbers of NVIDIA's nvml.h, version 12 and 13; every function returns 0 for success. */
enum {
	CLOCK_SM = 1,
	CLOCK_MEMORY = 2,
	MODE_ON = 1,
	SENSOR_GPU = 0,
	NOT_SUPPORTED = 3,    /* NVML_ERROR_NOT_SUPPORTED */
	INSUFFICIENT_SIZE = 7 /* NVML_ERROR_INSUFFICIENT_SIZE */
};

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
	unsigned (*fields)(struct nvmlDevice_st *d, int n, struct nvml_field *fields);
	unsigned (*power)(struct nvmlDevice_st *d, unsigned *milliwatts);
	unsigned (*energy)(struct nvmlDevice_st *d, unsigned long long *millijoules);
	unsigned (*temperature)(struct nvmlDevice_st *d, unsigned sensor, unsigned *celsius);
	unsigned (*processes)(struct nvmlDevice_st *d, unsigned *n, struct nvml_process *list);
	unsigned (*old_processes)(struct nvmlDevice_st *d, unsigned *n, struct nvml_process *list);
	const char *(*error_text)(unsigned rc);
};

#define REQUIRED(name, member)                                                                     \
	{                                                                                          \
		name, offsetof(struct nvml, member), false                                         \
	}
#define OPTIONAL(name, member)                                                                     \
	{                                                                                          \
		name, offsetof(struct nvml, member), true                                          \
	}

/* Older drivers know the reasons and the processes by another name; those of version 2 and 3 have
 * one type. */
static const struct library_symbol symbols[] = {
	REQUIRED("nvmlInit_v2", init),
	REQUIRED("nvmlSystemGetDriverVersion", driver_version),
	REQUIRED("nvmlDeviceGetHandleByPciBusId_v2", find),
	REQUIRED("nvmlDeviceGetClockInfo", clock),
	REQUIRED("nvmlDeviceGetMaxClockInfo", max_clock),
	OPTIONAL("nvmlDeviceGetCurrentClocksEventReasons", reasons),
	OPTIONAL("nvmlDeviceGetCurrentClocksThrottleReasons", old_reasons),
	OPTIONAL("nvmlDeviceGetMigMode", mig),
	OPTIONAL("nvmlDeviceGetFieldValues", fields),
	OPTIONAL("nvmlDeviceGetPowerUsage", power),
	OPTIONAL("nvmlDeviceGetTotalEnergyConsumption", energy),
	OPTIONAL("nvmlDeviceGetTemperature", temperature),
	OPTIONAL("nvmlDeviceGetComputeRunningProcesses_v3", processes),
	OPTIONAL("nvmlDeviceGetComputeRunningProcesses_v2", old_processes),
	REQUIRED("nvmlErrorString", error_text),
	{0}};

struct nvml_device {
	struct nvmlDevice_st *handle;
};

static struct nvml nvml;

static enum asc_status begin(struct asc_err *e)
{
	if (!nvml.reasons)
		nvml.reasons = nvml.old_reasons;
	if (!nvml.processes)
		nvml.processes = nvml.old_processes;
	unsigned rc = nvml.init();
	return rc == 0 ? ASC_OK : asc_err_set(e, ASC_ABSENT, "nvmlInit: %s", nvml.error_text(rc));
}

static const char *const files[] = {"libnvidia-ml.so.1", NULL};
static struct library library = {
	.files = files, .symbols = symbols, .table = &nvml, .begin = begin};

bool nvml_check(char *reason, size_t size)
{
	return library_check(&library, reason, size);
}

void nvml_driver_version(char *text, size_t size)
{
	struct asc_err e;

	*text = '\0';
	if (library_once(&library, &e) == ASC_OK && nvml.driver_version(text, (unsigned)size) != 0)
		*text = '\0';
}

struct nvml_device *nvml_device_find(const char *bus)
{
	struct asc_err e;
	struct nvml_device *d = library_once(&library, &e) ? NULL : calloc(1, sizeof *d);

	if (d && nvml.find(bus, &d->handle) == 0)
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
	*out = (struct nvml_reading){0};
	(void)nvml.clock(d->handle, CLOCK_SM, &out->mhz);
	if (nvml.reasons)
		(void)nvml.reasons(d->handle, &out->reasons);
}

void nvml_device_read_state(const struct nvml_device *d, struct nvml_state *out)
{
	struct nvml_field f = {.id = NVML_FIELD_POWER};

	*out = (struct nvml_state){0};
	/* The field is the power of this moment; the function gives a mean of some time, on some
	 * devices of a second. */
	if (nvml.fields && nvml.fields(d->handle, 1, &f) == 0 && f.rc == 0 &&
	    f.type == NVML_TYPE_UNSIGNED)
		out->milliwatts = f.value.integer;
	else if (nvml.power)
		(void)nvml.power(d->handle, &out->milliwatts);
	(void)nvml.clock(d->handle, CLOCK_MEMORY, &out->memory_mhz);
	if (nvml.temperature)
		(void)nvml.temperature(d->handle, SENSOR_GPU, &out->celsius);
}

bool nvml_device_read_energy(const struct nvml_device *d, uint64_t *mj)
{
	unsigned long long value = 0;
	bool known = nvml.energy && nvml.energy(d->handle, &value) == 0;

	*mj = value;
	return known;
}

bool nvml_device_count_processes(const struct nvml_device *d, unsigned *n)
{
	/* Room for a few: where there are more, NVML tells how many. */
	struct nvml_process list[16];

	*n = sizeof list / sizeof *list;
	const unsigned rc = nvml.processes ? nvml.processes(d->handle, n, list) : NOT_SUPPORTED;

	if (rc == 0 || rc == INSUFFICIENT_SIZE)
		return true;
	*n = 0;
	return false;
}

unsigned nvml_device_max_mhz(const struct nvml_device *d)
{
	unsigned mhz = 0;

	(void)nvml.max_clock(d->handle, CLOCK_SM, &mhz);
	return mhz;
}

bool nvml_device_is_split(const struct nvml_device *d)
{
	unsigned current = 0, pending = 0;

	return nvml.mig && nvml.mig(d->handle, &current, &pending) == 0 && current == MODE_ON;
}
