/* A libnvidia-ml with one GPU, at the PCI address 0000:01:00.0, whose readings are fixed. Types and
 * numbers are those of nvml.h. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tuner/device/libs/nvml.h"

enum { NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, INVALID_ARGUMENT = 2, CLOCK_SM = 1, CLOCK_MEMORY = 2 };

static char gpu;

unsigned nvmlInit_v2(void);
unsigned nvmlSystemGetDriverVersion(char *text, unsigned size);
unsigned nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **out);
unsigned nvmlDeviceGetClockInfo(void *d, unsigned type, unsigned *mhz);
unsigned nvmlDeviceGetMaxClockInfo(void *d, unsigned type, unsigned *mhz);
unsigned nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *mask);
unsigned nvmlDeviceGetMigMode(void *d, unsigned *current, unsigned *pending);
unsigned nvmlDeviceGetFieldValues(void *d, int n, struct nvml_field *fields);
unsigned nvmlDeviceGetPowerUsage(void *d, unsigned *milliwatts);
unsigned nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *millijoules);
unsigned nvmlDeviceGetTemperature(void *d, unsigned sensor, unsigned *celsius);
unsigned nvmlDeviceGetComputeRunningProcesses_v2(void *d, unsigned *n, struct nvml_process *list);
const char *nvmlErrorString(unsigned rc);

/* Whether the driver tells the power of the moment; a test finds it by its name. */
int fake_nvml_momentary = 1;

/* Power in watts of which the counter of energy tells: 0, and it stands still. It moves each tenth
 * of a second, like that of an H200. */
int fake_nvml_watts = 0;

/* Whether it is in the mode of several instances. */
unsigned fake_nvml_split = 1;

/* Processes that compute on the GPU. */
unsigned fake_nvml_processes = 0;

unsigned nvmlInit_v2(void)
{
	return 0;
}

unsigned nvmlSystemGetDriverVersion(char *text, unsigned size)
{
	return snprintf(text, size, "550.54.15") < (int)size ? 0 : INVALID_ARGUMENT;
}

unsigned nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **out)
{
	*out = &gpu;
	return strcmp(bus, "0000:01:00.0") == 0 ? 0 : NOT_FOUND;
}

unsigned nvmlDeviceGetClockInfo(void *d, unsigned type, unsigned *mhz)
{
	*mhz = type == CLOCK_SM ? 1410 : 1593;
	return d == &gpu && (type == CLOCK_SM || type == CLOCK_MEMORY) ? 0 : INVALID_ARGUMENT;
}

unsigned nvmlDeviceGetMaxClockInfo(void *d, unsigned type, unsigned *mhz)
{
	*mhz = 1980;
	return d == &gpu && type == CLOCK_SM ? 0 : INVALID_ARGUMENT;
}

/* The name of older drivers: nvmlDeviceGetCurrentClocksEventReasons is missing. */
unsigned nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *mask)
{
	*mask = 0x24;
	return d == &gpu ? 0 : INVALID_ARGUMENT;
}

unsigned nvmlDeviceGetMigMode(void *d, unsigned *current, unsigned *pending)
{
	*current = fake_nvml_split;
	*pending = 0;
	return d == &gpu ? 0 : INVALID_ARGUMENT;
}

unsigned nvmlDeviceGetFieldValues(void *d, int n, struct nvml_field *fields)
{
	for (int i = 0; i < n; i++) {
		fields[i].rc = fields[i].id == 186 && fake_nvml_momentary ? 0 : NOT_FOUND;
		fields[i].type = 1; /* NVML_VALUE_TYPE_UNSIGNED_INT */
		fields[i].value.integer = 312000;
	}
	return d == &gpu ? 0 : INVALID_ARGUMENT;
}

unsigned nvmlDeviceGetPowerUsage(void *d, unsigned *milliwatts)
{
	*milliwatts = 250000;
	return d == &gpu ? 0 : INVALID_ARGUMENT;
}

unsigned nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *millijoules)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	const unsigned long long tenths =
		(unsigned long long)now.tv_sec * 10 + (unsigned long long)now.tv_nsec / 100000000;

	*millijoules = 5000000000ULL + tenths * 100 * (unsigned long long)fake_nvml_watts;
	return d == &gpu ? 0 : INVALID_ARGUMENT;
}

unsigned nvmlDeviceGetTemperature(void *d, unsigned sensor, unsigned *celsius)
{
	*celsius = 61;
	return d == &gpu && sensor == 0 ? 0 : INVALID_ARGUMENT;
}

/* The name of older drivers. */
unsigned nvmlDeviceGetComputeRunningProcesses_v2(void *d, unsigned *n, struct nvml_process *list)
{
	const unsigned room = *n;

	*n = fake_nvml_processes;
	if (d != &gpu || room < fake_nvml_processes)
		return d == &gpu ? INSUFFICIENT_SIZE : INVALID_ARGUMENT;
	for (unsigned i = 0; i < fake_nvml_processes; i++)
		list[i] = (struct nvml_process){.pid = 1000 + i};
	return 0;
}

const char *nvmlErrorString(unsigned rc)
{
	return rc == NOT_FOUND ? "Not Found" : "Invalid Argument";
}
