/* Our declarations of the CUDA driver against the toolkit's. Compiled by ci/abi-check, never run.
 */
#include <cuda.h>

#include "tuner/device/libs/cuda_driver.h"

#define SAME(what) _Static_assert(what, #what)

#define X(member, symbol, parameters, optional)                                                    \
	_Static_assert(__builtin_types_compatible_p(__typeof__(symbol), unsigned parameters),      \
		       "the type of " #symbol);
CUDA_DRIVER_LIST(X)
#undef X

#define X(here, there, value) _Static_assert((there) == (value), #there);
CUDA_CONSTANT_LIST(X)
#undef X

SAME(sizeof(CUuuid) == CUDA_UUID_BYTES);
SAME(sizeof(cuda_address) == sizeof(CUdeviceptr));
SAME(sizeof(struct cuda_tensor_map) == sizeof(CUtensorMap));
SAME(_Alignof(struct cuda_tensor_map) >= _Alignof(CUtensorMap));
SAME(sizeof(struct cuda_launch_attribute) == sizeof(CUlaunchAttribute));
SAME(offsetof(struct cuda_launch_attribute, id) == offsetof(CUlaunchAttribute, id));
SAME(offsetof(struct cuda_launch_attribute, value) == offsetof(CUlaunchAttribute, value));
SAME(offsetof(CUlaunchAttributeValue, cooperative) == 0);
SAME(offsetof(CUlaunchAttributeValue, clusterDim) == 0);
SAME(offsetof(CUlaunchAttributeValue, clusterDim.z) == 2 * sizeof(unsigned));
SAME(sizeof(struct cuda_launch_config) == sizeof(CUlaunchConfig));
SAME(offsetof(struct cuda_launch_config, grid) == offsetof(CUlaunchConfig, gridDimX));
SAME(offsetof(struct cuda_launch_config, grid[2]) == offsetof(CUlaunchConfig, gridDimZ));
SAME(offsetof(struct cuda_launch_config, block) == offsetof(CUlaunchConfig, blockDimX));
SAME(offsetof(struct cuda_launch_config, block[2]) == offsetof(CUlaunchConfig, blockDimZ));
SAME(offsetof(struct cuda_launch_config, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
SAME(offsetof(struct cuda_launch_config, stream) == offsetof(CUlaunchConfig, hStream));
SAME(offsetof(struct cuda_launch_config, attributes) == offsetof(CUlaunchConfig, attrs));
SAME(offsetof(struct cuda_launch_config, n_attributes) == offsetof(CUlaunchConfig, numAttrs));
