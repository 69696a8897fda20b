/* The CUDA driver's interface as far as it is used here, from own declarations: libcuda.so.1 is
 * opened at run time.
 *
 * Result codes and enumerations are `unsigned`, as the compilers store them; handles point to the
 * driver's own incomplete types. ci/abi-check holds all of it to the toolkit's cuda.h. */
#ifndef ASCTUNE_DEVICE_LIBS_CUDA_DRIVER_H
#define ASCTUNE_DEVICE_LIBS_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct CUctx_st;
struct CUevent_st;
struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUlaunchConfig_st;
struct CUmod_st;
struct CUstream_st;
struct CUtensorMap_st;
struct CUuuid_st;

typedef unsigned long long cuda_address; /* address in device memory */

/* member, symbol, parameters, optional */
#define CUDA_DRIVER_LIST(X)                                                                        \
	X(init, cuInit, (unsigned flags), false)                                                   \
	X(error_name, cuGetErrorName, (unsigned rc, const char **name), false)                     \
	X(error_text, cuGetErrorString, (unsigned rc, const char **text), false)                   \
	X(version, cuDriverGetVersion, (int *version), false)                                      \
	X(device_count, cuDeviceGetCount, (int *n), false)                                         \
	X(device_get, cuDeviceGet, (int *device, int ordinal), false)                              \
	X(device_name, cuDeviceGetName, (char *name, int size, int device), false)                 \
	X(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, int device), false)                 \
	X(device_attribute, cuDeviceGetAttribute, (int *value, unsigned attribute, int device),    \
	  false)                                                                                   \
	X(device_bus, cuDeviceGetPCIBusId, (char *id, int size, int device), false)                \
	X(device_uuid, cuDeviceGetUuid_v2, (struct CUuuid_st * out, int device), true)             \
	X(context_retain, cuDevicePrimaryCtxRetain, (struct CUctx_st * *out, int device), false)   \
	X(context_release, cuDevicePrimaryCtxRelease_v2, (int device), false)                      \
	X(context_set, cuCtxSetCurrent, (struct CUctx_st * context), false)                        \
	X(limit_set, cuCtxSetLimit, (unsigned limit, size_t value), false)                         \
	X(persisting_reset, cuCtxResetPersistingL2Cache, (void), true)                             \
	X(synchronize, cuCtxSynchronize, (void), false)                                            \
	X(stream_create, cuStreamCreate, (struct CUstream_st * *out, unsigned flags), false)       \
	X(stream_destroy, cuStreamDestroy_v2, (struct CUstream_st * stream), false)                \
	X(stream_synchronize, cuStreamSynchronize, (struct CUstream_st * stream), false)           \
	X(stream_await, cuStreamWaitValue32_v2,                                                    \
	  (struct CUstream_st * stream, cuda_address at, uint32_t value, unsigned flags), true)    \
	X(event_create, cuEventCreate, (struct CUevent_st * *out, unsigned flags), false)          \
	X(event_destroy, cuEventDestroy_v2, (struct CUevent_st * event), false)                    \
	X(event_record, cuEventRecord, (struct CUevent_st * event, struct CUstream_st * stream),   \
	  false)                                                                                   \
	X(event_elapsed, cuEventElapsedTime,                                                       \
	  (float *ms, struct CUevent_st *begin, struct CUevent_st *end), false)                    \
	X(alloc, cuMemAlloc_v2, (cuda_address * out, size_t bytes), false)                         \
	X(free, cuMemFree_v2, (cuda_address at), false)                                            \
	X(host_alloc, cuMemHostAlloc, (void **out, size_t bytes, unsigned flags), false)           \
	X(host_free, cuMemFreeHost, (void *at), false)                                             \
	X(host_address, cuMemHostGetDevicePointer_v2,                                              \
	  (cuda_address * out, void *at, unsigned flags), false)                                   \
	X(set, cuMemsetD8Async,                                                                    \
	  (cuda_address at, unsigned char byte, size_t n, struct CUstream_st *stream), false)      \
	X(put, cuMemcpyHtoDAsync_v2,                                                               \
	  (cuda_address to, const void *from, size_t bytes, struct CUstream_st *stream), false)    \
	X(get, cuMemcpyDtoHAsync_v2,                                                               \
	  (void *to, cuda_address from, size_t bytes, struct CUstream_st *stream), false)          \
	X(copy, cuMemcpyDtoDAsync_v2,                                                              \
	  (cuda_address to, cuda_address from, size_t bytes, struct CUstream_st * stream), false)  \
	X(module_load, cuModuleLoadData, (struct CUmod_st * *out, const void *image), false)       \
	X(module_unload, cuModuleUnload, (struct CUmod_st * module), false)                        \
	X(module_function, cuModuleGetFunction,                                                    \
	  (struct CUfunc_st * *out, struct CUmod_st * module, const char *name), false)            \
	X(module_global, cuModuleGetGlobal_v2,                                                     \
	  (cuda_address * at, size_t * bytes, struct CUmod_st * module, const char *name), false)  \
	X(function_get, cuFuncGetAttribute,                                                        \
	  (int *value, unsigned attribute, struct CUfunc_st *function), false)                     \
	X(function_set, cuFuncSetAttribute,                                                        \
	  (struct CUfunc_st * function, unsigned attribute, int value), false)                     \
	X(function_cache, cuFuncSetCacheConfig,                                                    \
	  (struct CUfunc_st * function, unsigned preference), false)                               \
	X(function_parameter, cuFuncGetParamInfo,                                                  \
	  (struct CUfunc_st * function, size_t index, size_t * offset, size_t * bytes), true)      \
	X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                  \
	  (int *blocks, struct CUfunc_st *function, int threads, size_t dynamic_shared), false)    \
	X(launch, cuLaunchKernelEx,                                                                \
	  (const struct CUlaunchConfig_st *config, struct CUfunc_st *function, void **args,        \
	   void **extra),                                                                          \
	  false)                                                                                   \
	X(capture_begin, cuStreamBeginCapture_v2, (struct CUstream_st * stream, unsigned mode),    \
	  true)                                                                                    \
	X(capture_end, cuStreamEndCapture,                                                         \
	  (struct CUstream_st * stream, struct CUgraph_st * *out), true)                           \
	X(graph_make, cuGraphInstantiateWithFlags,                                                 \
	  (struct CUgraphExec_st * *out, struct CUgraph_st * graph, unsigned long long flags),     \
	  true)                                                                                    \
	X(graph_launch, cuGraphLaunch,                                                             \
	  (struct CUgraphExec_st * graph, struct CUstream_st * stream), true)                      \
	X(tensor_map, cuTensorMapEncodeTiled,                                                      \
	  (struct CUtensorMap_st * out, unsigned type, uint32_t rank, void *at,                    \
	   const uint64_t *dims, const uint64_t *strides, const uint32_t *box,                     \
	   const uint32_t *steps, unsigned interleave, unsigned swizzle, unsigned promotion,       \
	   unsigned fill),                                                                         \
	  true)

struct cuda_driver {
#define X(member, symbol, parameters, optional) unsigned(*member) parameters;
	CUDA_DRIVER_LIST(X)
#undef X
};

/* name here, name there (CU_...), value */
#define CUDA_CONSTANT_LIST(X)                                                                      \
	X(CUDA_ERROR_NOMEM, CUDA_ERROR_OUT_OF_MEMORY, 2)                                           \
	X(CUDA_ERROR_NONE_HERE, CUDA_ERROR_NO_DEVICE, 100)                                         \
	X(CUDA_ERROR_BAD_IMAGE, CUDA_ERROR_INVALID_IMAGE, 200)                                     \
	X(CUDA_ERROR_OTHER_ARCH, CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                \
	X(CUDA_ERROR_NO_SYMBOL, CUDA_ERROR_NOT_FOUND, 500)                                         \
	X(CUDA_ERROR_RESOURCES, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                           \
	X(CUDA_ERROR_TOO_MANY_BLOCKS, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)                \
	X(CUDA_DEVICE_BLOCK_THREADS, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                 \
	X(CUDA_DEVICE_WARP_SIZE, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                \
	X(CUDA_DEVICE_BLOCK_REGISTERS, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 12)            \
	X(CUDA_DEVICE_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                               \
	X(CUDA_DEVICE_PROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                    \
	X(CUDA_DEVICE_ECC, CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32)                                    \
	X(CUDA_DEVICE_MEMORY_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36)                 \
	X(CUDA_DEVICE_MEMORY_BUS_BITS, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37)            \
	X(CUDA_DEVICE_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                             \
	X(CUDA_DEVICE_PROCESSOR_THREADS, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)   \
	X(CUDA_DEVICE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                     \
	X(CUDA_DEVICE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                     \
	X(CUDA_DEVICE_PROCESSOR_SHARED, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,  \
	  81)                                                                                      \
	X(CUDA_DEVICE_PROCESSOR_REGISTERS, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,   \
	  82)                                                                                      \
	X(CUDA_DEVICE_BLOCK_SHARED, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)     \
	X(CUDA_LIMIT_PERSISTING_BYTES, CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 6)                       \
	X(CUDA_FUNCTION_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)                       \
	X(CUDA_FUNCTION_SHARED, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                            \
	X(CUDA_FUNCTION_LOCAL, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                              \
	X(CUDA_FUNCTION_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                  \
	X(CUDA_FUNCTION_MAX_DYNAMIC, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)           \
	X(CUDA_FUNCTION_BIG_CLUSTERS, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14)     \
	X(CUDA_CACHE_PREFERS_SHARED, CU_FUNC_CACHE_PREFER_SHARED, 1)                               \
	X(CUDA_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2)                             \
	X(CUDA_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4)                           \
	X(CUDA_LAUNCH_CLUSTER_POLICY, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 5) \
	X(CUDA_CLUSTER_SPREAD, CU_CLUSTER_SCHEDULING_POLICY_SPREAD, 1)                             \
	X(CUDA_LAUNCH_PROGRAMMATIC, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6)      \
	X(CUDA_STREAM_INDEPENDENT, CU_STREAM_NON_BLOCKING, 1)                                      \
	X(CUDA_CAPTURE_OF_THREAD, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)                          \
	X(CUDA_AWAIT_AT_LEAST, CU_STREAM_WAIT_VALUE_GEQ, 0)                                        \
	X(CUDA_HOST_MAPPED, CU_MEMHOSTALLOC_DEVICEMAP, 2)                                          \
	X(CUDA_MAP_U8, CU_TENSOR_MAP_DATA_TYPE_UINT8, 0)                                           \
	X(CUDA_MAP_U16, CU_TENSOR_MAP_DATA_TYPE_UINT16, 1)                                         \
	X(CUDA_MAP_U32, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2)                                         \
	X(CUDA_MAP_I32, CU_TENSOR_MAP_DATA_TYPE_INT32, 3)                                          \
	X(CUDA_MAP_U64, CU_TENSOR_MAP_DATA_TYPE_UINT64, 4)                                         \
	X(CUDA_MAP_I64, CU_TENSOR_MAP_DATA_TYPE_INT64, 5)                                          \
	X(CUDA_MAP_F16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 6)                                        \
	X(CUDA_MAP_F32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 7)                                        \
	X(CUDA_MAP_F64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8)                                        \
	X(CUDA_MAP_BF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 9)                                      \
	X(CUDA_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, 0)                                    \
	X(CUDA_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_32B, 1)                                      \
	X(CUDA_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_64B, 2)                                      \
	X(CUDA_MAP_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B, 3)                                    \
	X(CUDA_MAP_NOT_INTERLEAVED, CU_TENSOR_MAP_INTERLEAVE_NONE, 0)                              \
	X(CUDA_MAP_PROMOTE_256B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 3)                            \
	X(CUDA_MAP_ZEROS_OUTSIDE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, 0)

enum { CUDA_UUID_BYTES = 16 };

enum cuda_constant {
#define X(here, there, value) here = (value),
	CUDA_CONSTANT_LIST(X)
#undef X
};

/* CUtensorMap, CUlaunchAttribute, CUlaunchConfig */
struct cuda_tensor_map {
	_Alignas(128) uint64_t opaque[16];
};

struct cuda_launch_attribute {
	unsigned id;
	char pad[4];
	union {
		char pad[64];
		void *aligned;
		int cooperative;
		unsigned cluster[3];
		unsigned policy; /* of scheduling clusters */
		int programmatic;
	} value;
};

struct cuda_launch_config {
	unsigned grid[3], block[3];
	unsigned shared_bytes;
	struct CUstream_st *stream;
	struct cuda_launch_attribute *attributes;
	unsigned n_attributes;
};

/* Opens and initialises the driver once in a process; *out is borrowed. ASC_ABSENT, in the words of
 * the loader or the driver, where there is none. */
enum asc_status cuda_driver_get(const struct cuda_driver **out, struct asc_err *e);

/* Makes a status of a result code: ASC_OK for 0, else the driver's words in `e`: "cuMemAlloc: out
 * of memory (CUDA_ERROR_OUT_OF_MEMORY)". */
enum asc_status cuda_driver_check(const struct cuda_driver *cu, unsigned rc, const char *what,
				  struct asc_err *e);

#endif
