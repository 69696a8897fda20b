#include "tuner/device/cuda/cuda_info.h"

#include <stdio.h>
#include <string.h>

#include "tuner/device/clock.h"
#include "tuner/device/cuda/cuda_clock.h"
#include "tuner/device/libs/cuda_driver.h"
#include "tuner/device/libs/nvml.h"
#include "tuner/workload/limits/limits.h"

bool cuda_info_check(char *reason, size_t size)
{
	const struct cuda_driver *cu;
	struct asc_err e;

	if (cuda_driver_get(&cu, &e)) {
		snprintf(reason, size, "%s", e.text);
		return false;
	}
	if (cuda_info_count() > 0)
		return true;
	snprintf(reason, size, "the driver is here, but no GPU is");
	return false;
}

int cuda_info_count(void)
{
	const struct cuda_driver *cu;
	struct asc_err e;
	int n = 0;

	if (cuda_driver_get(&cu, &e) || cu->device_count(&n) != 0)
		return 0;
	return n;
}

static int attribute(const struct cuda_driver *cu, int device, unsigned which)
{
	int value = 0;

	return cu->device_attribute(&value, which, device) == 0 ? value : 0;
}

static void read_facts(const struct cuda_driver *cu, int device, struct facts *f)
{
	static const struct {
		enum fact fact;
		unsigned attribute;
		int divisor;
	} table[] = {
		{FACT_PROCESSORS, CUDA_DEVICE_PROCESSORS, 1},
		{FACT_WARP_SIZE, CUDA_DEVICE_WARP_SIZE, 1},
		{FACT_BLOCK_THREADS, CUDA_DEVICE_BLOCK_THREADS, 1},
		{FACT_BLOCK_REGISTERS, CUDA_DEVICE_BLOCK_REGISTERS, 1},
		{FACT_BLOCK_SHARED_BYTES, CUDA_DEVICE_BLOCK_SHARED, 1},
		{FACT_SM_THREADS, CUDA_DEVICE_PROCESSOR_THREADS, 1},
		{FACT_SM_REGISTERS, CUDA_DEVICE_PROCESSOR_REGISTERS, 1},
		{FACT_SM_SHARED_BYTES, CUDA_DEVICE_PROCESSOR_SHARED, 1},
		{FACT_L2_BYTES, CUDA_DEVICE_L2_BYTES, 1},
		{FACT_LLC_BYTES, CUDA_DEVICE_L2_BYTES, 1},
		{FACT_CLOCK_MHZ, CUDA_DEVICE_CLOCK_KHZ, 1000},
		{FACT_MEMORY_CLOCK_MHZ, CUDA_DEVICE_MEMORY_CLOCK_KHZ, 1000},
	};
	size_t bytes = 0;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		/* 0, of an attribute that the driver lacks, leaves the fact unknown. */
		facts_set(f, table[i].fact,
			  attribute(cu, device, table[i].attribute) / table[i].divisor);
	if (cu->device_memory(&bytes, device) == 0)
		facts_set(f, FACT_MEMORY_BYTES, (int64_t)bytes);
	facts_set(f, FACT_COMPUTE_CAPABILITY,
		  10 * attribute(cu, device, CUDA_DEVICE_MAJOR) +
			  attribute(cu, device, CUDA_DEVICE_MINOR));
}

/* Prints "580.159.04, CUDA 13.0, ECC": versions and modes that may change results. `nvml` may be
 * NULL. */
static void print_driver(const struct cuda_driver *cu, int device, const struct nvml_device *nvml,
			 char *text, size_t size)
{
	int version = 0;
	char driver[NVML_VERSION_SIZE];

	(void)cu->version(&version);
	nvml_driver_version(driver, sizeof driver);
	snprintf(text, size, "%.40s%sCUDA %d.%d%s%s", driver, *driver ? ", " : "", version / 1000,
		 version % 1000 / 10, attribute(cu, device, CUDA_DEVICE_ECC) ? ", ECC" : "",
		 nvml && nvml_device_is_split(nvml) ? ", MIG" : "");
}

enum asc_status cuda_info_find(const char *place, int *device, struct asc_err *e)
{
	const struct cuda_driver *cu;
	int number = 0;

	*device = 0;
	if (cuda_driver_get(&cu, e) ||
	    device_parse_number("cuda", place, cuda_info_count(), &number, e))
		return e->status;
	return cuda_driver_check(cu, cu->device_get(device, number), "cuDeviceGet", e);
}

enum asc_status cuda_info_read(const char *place, struct device_info *out, struct asc_err *e)
{
	unsigned char uuid[CUDA_UUID_BYTES];
	const struct cuda_driver *cu;
	int device = 0;

	*out = (struct device_info){.queues = true};
	if (cuda_info_find(place, &device, e) || cuda_driver_get(&cu, e) ||
	    cuda_driver_check(cu, cu->device_name(out->model, sizeof out->model, device),
			      "cuDeviceGetName", e))
		return e->status;
	read_facts(cu, device, &out->facts);
	_Static_assert(sizeof out->arch >= LIMITS_ARCH_SIZE, "an architecture fits");
	limits_print_cuda_arch(out->facts.value[FACT_COMPUTE_CAPABILITY], out->arch);
	if (cu->device_bus(out->bus, sizeof out->bus, device) != 0)
		*out->bus = '\0';
	struct nvml_device *nvml = *out->bus ? nvml_device_find(out->bus) : NULL;

	print_driver(cu, device, nvml, out->driver, sizeof out->driver);
	out->memory_bus_bits = attribute(cu, device, CUDA_DEVICE_MEMORY_BUS_BITS);
	/* CUDA's clock of a gaming GPU is its nominal boost, which it exceeds. */
	out->most_mhz = nvml ? nvml_device_max_mhz(nvml) : 0;
	nvml_device_free(nvml);
	/* In multi-instance mode the uuid is that of the GPU's part. */
	if (cu->device_uuid && cu->device_uuid((void *)uuid, device) == 0)
		device_print_uuid("GPU", uuid, out->machine, sizeof out->machine);
	if (clock_describe(&cuda_clocks, out, e))
		return e->status;
	return device_info_seal(out, "cuda", e);
}
