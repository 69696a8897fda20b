/* A libcuda with one GPU: what a probe asks of the driver. Functions that it does not ask are in
 * fake_cuda_rest.c. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/probes/fake_cuda.h"
#include "tuner/device/libs/cuda_driver.h"

#define X(member, symbol, parameters, optional) unsigned symbol parameters;
CUDA_DRIVER_LIST(X)
#undef X

unsigned cuGetErrorName(unsigned rc, const char **name)
{
	(void)rc;
	*name = "CUDA_ERROR";
	return 0;
}

unsigned cuGetErrorString(unsigned rc, const char **text)
{
	(void)rc;
	*text = "an error";
	return 0;
}

unsigned cuDeviceGetCount(int *n)
{
	*n = 1;
	return 0;
}

unsigned cuDeviceGet(int *device, int ordinal)
{
	*device = ordinal;
	return 0;
}

unsigned cuDeviceGetPCIBusId(char *id, int size, int device)
{
	(void)snprintf(id, (size_t)size, "%s", device == 0 ? FAKE_CUDA_BUS : "");
	return 0;
}

unsigned cuDevicePrimaryCtxRetain(struct CUctx_st **out, int device)
{
	static char context;

	(void)device;
	memcpy(out, &(void *){&context}, sizeof *out);
	return 0;
}
