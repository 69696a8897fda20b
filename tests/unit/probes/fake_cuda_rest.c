/* Functions of the libcuda of fake_cuda.c that do nothing: each name that the loader looks for, but
 * weak, so that those of fake_cuda.c go before them. */
#include "tuner/device/libs/cuda_driver.h"

#define X(member, symbol, parameters, optional)                                                    \
	unsigned symbol parameters __attribute__((weak));                                          \
	unsigned symbol parameters                                                                 \
	{                                                                                          \
		return 0;                                                                          \
	}
CUDA_DRIVER_LIST(X)
#undef X
