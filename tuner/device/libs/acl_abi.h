/* The Ascend runtime's interface as far as it is used here, from own declarations: libascendcl.so,
 * or libacl_rt.so where CANN has split it off, and libruntime.so below.
 *
 * Streams, events, contexts, binaries and functions are `void *` there, error codes `int`,
 * enumerations `unsigned` as compilers store them, or `int` where one has a negative value.
 * ci/abi-check holds all of it to the ACL headers that the torch-npu wheel carries. Unverified on
 * hardware. */
#ifndef ASCTUNE_DEVICE_LIBS_ACL_ABI_H
#define ASCTUNE_DEVICE_LIBS_ACL_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Oldest known release of the ACL headers that has a function: by year the copies in
 * Ascend/pytorch, then the versions of CANN. A function of ACL_2022 is in every CANN from 6.0 on
 * and is required; what is newer may be missing. */
enum acl_release { ACL_2022, ACL_2023, ACL_2025, ACL_2026, ACL_CANN_8_5 };

struct aclrtBinaryLoadOptions;
struct aclrtLaunchKernelCfg;
struct aclrtUuid;

/* Type of a place holder: without a tag in the vendor's headers, where ci/abi-check names it. */
#ifndef ACL_PLACE_HOLDER
#define ACL_PLACE_HOLDER struct aclrtPlaceHolderInfo
struct aclrtPlaceHolderInfo;
#endif

/* member, symbol, result, parameters, release */
#define ACL_LIST(X)                                                                                \
	/* process */                                                                              \
	X(init, aclInit, int, (const char *config), ACL_2022)                                      \
	X(finalize, aclFinalize, int, (void), ACL_2022)                                            \
	X(recent_error, aclGetRecentErrMsg, const char *, (void), ACL_2023)                        \
	X(soc_name, aclrtGetSocName, const char *, (void), ACL_2023)                               \
	X(version, aclrtGetVersion, int, (int32_t * major, int32_t * minor, int32_t * patch),      \
	  ACL_2022)                                                                                \
	X(package_version, aclsysGetVersionStr, int, (char *package, char *version), ACL_CANN_8_5) \
	/* device */                                                                               \
	X(device_count, aclrtGetDeviceCount, int, (uint32_t * n), ACL_2022)                        \
	X(device_set, aclrtSetDevice, int, (int32_t device), ACL_2022)                             \
	X(device_reset, aclrtResetDevice, int, (int32_t device), ACL_2022)                         \
	X(device_synchronize, aclrtSynchronizeDevice, int, (void), ACL_2022)                       \
	X(device_capability, aclGetDeviceCapability, int,                                          \
	  (uint32_t device, int which, int64_t *value), ACL_2025)                                  \
	X(device_info, aclrtGetDeviceInfo, int,                                                    \
	  (uint32_t device, unsigned attribute, int64_t *value), ACL_2026)                         \
	X(device_uuid, aclrtDeviceGetUuid, int, (int32_t device, struct aclrtUuid * out),          \
	  ACL_2026)                                                                                \
	/* context and stream */                                                                   \
	X(context_get, aclrtGetCurrentContext, int, (void **context), ACL_2022)                    \
	X(context_set, aclrtSetCurrentContext, int, (void *context), ACL_2022)                     \
	X(stream_create, aclrtCreateStream, int, (void **stream), ACL_2022)                        \
	X(stream_destroy, aclrtDestroyStream, int, (void *stream), ACL_2022)                       \
	X(stream_synchronize, aclrtSynchronizeStream, int, (void *stream), ACL_2022)               \
	X(stream_synchronize_within, aclrtSynchronizeStreamWithTimeout, int,                       \
	  (void *stream, int32_t timeout_ms), ACL_2023)                                            \
	/* memory: the room at the destination comes before source and count */                    \
	X(alloc, aclrtMalloc, int, (void **out, size_t bytes, unsigned policy), ACL_2022)          \
	X(free, aclrtFree, int, (void *at), ACL_2022)                                              \
	X(host_alloc, aclrtMallocHost, int, (void **out, size_t bytes), ACL_2022)                  \
	X(host_free, aclrtFreeHost, int, (void *at), ACL_2022)                                     \
	X(set, aclrtMemsetAsync, int,                                                              \
	  (void *at, size_t room, int32_t byte, size_t n, void *stream), ACL_2022)                 \
	X(copy, aclrtMemcpy, int,                                                                  \
	  (void *to, size_t room, const void *from, size_t n, unsigned kind), ACL_2022)            \
	/* event */                                                                                \
	X(event_create, aclrtCreateEvent, int, (void **event), ACL_2022)                           \
	X(event_create_with_flag, aclrtCreateEventWithFlag, int, (void **event, uint32_t flags),   \
	  ACL_2023)                                                                                \
	X(event_create_ex_with_flag, aclrtCreateEventExWithFlag, int,                              \
	  (void **event, uint32_t flags), ACL_2025)                                                \
	X(event_destroy, aclrtDestroyEvent, int, (void *event), ACL_2022)                          \
	X(event_record, aclrtRecordEvent, int, (void *event, void *stream), ACL_2022)              \
	X(event_elapsed, aclrtEventElapsedTime, int, (float *ms, void *begin, void *end),          \
	  ACL_2022)                                                                                \
	/* kernels; all of them or none is used */                                                 \
	X(binary_load, aclrtBinaryLoadFromFile, int,                                               \
	  (const char *path, struct aclrtBinaryLoadOptions *options, void **binary), ACL_CANN_8_5) \
	X(binary_unload, aclrtBinaryUnLoad, int, (void *binary), ACL_CANN_8_5)                     \
	X(binary_function, aclrtBinaryGetFunction, int,                                            \
	  (void *const binary, const char *name, void **function), ACL_CANN_8_5)                   \
	X(launch, aclrtLaunchKernelWithHostArgs, int,                                              \
	  (void *function, uint32_t blocks, void *stream, struct aclrtLaunchKernelCfg *config,     \
	   void *arguments, size_t bytes, ACL_PLACE_HOLDER *holders, size_t n_holders),            \
	  ACL_CANN_8_5)                                                                            \
	X(sync_address, aclrtGetHardwareSyncAddr, int, (void **out), ACL_CANN_8_5)

/* libruntime.so: what is used where the kernel functions above, or aclrtGetSocName, are missing.
 * member, symbol, result, parameters */
#define RT_LIST(X)                                                                                 \
	X(binary_register, rtDevBinaryRegister, int,                                               \
	  (const struct rt_binary *binary, void **handle))                                         \
	X(binary_unregister, rtDevBinaryUnRegister, int, (void *handle))                           \
	X(function_register, rtFunctionRegister, int,                                              \
	  (void *binary, const void *stub, const char *stub_name, const void *kernel_name,         \
	   uint32_t mode))                                                                         \
	X(launch, rtKernelLaunch, int,                                                             \
	  (const void *stub, uint32_t blocks, void *arguments, uint32_t bytes,                     \
	   void *memory_description, void *stream))                                                \
	X(sync_address, rtGetC2cCtrlAddr, int, (uint64_t * address, uint32_t * bytes))             \
	X(soc_name, rtGetSocVersion, int, (char *out, const uint32_t size))

struct rt_binary {               /* rtDevBinary_t */
	uint32_t magic, version; /* version 0 */
	const void *data;
	uint64_t length;
};

/* name here, name there, value */
#define ACL_CONSTANT_LIST(X)                                                                       \
	X(NPU_ALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_FIRST, 0)                                      \
	X(NPU_HOST_TO_DEVICE, ACL_MEMCPY_HOST_TO_DEVICE, 1)                                        \
	X(NPU_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_HOST, 2)                                        \
	X(NPU_EVENT_TIME_LINE, ACL_EVENT_TIME_LINE, 8)                                             \
	X(NPU_DEVICE_INFO_AI_CORES, ACL_DEVICE_INFO_AI_CORE_NUM, 0)                                \
	X(NPU_DEVICE_INFO_VECTOR_CORES, ACL_DEVICE_INFO_VECTOR_CORE_NUM, 1)                        \
	X(NPU_DEVICE_INFO_L2_BYTES, ACL_DEVICE_INFO_L2_SIZE, 2)                                    \
	X(NPU_ATTRIBUTE_AI_CORES, ACL_DEV_ATTR_AICORE_CORE_NUM, 101)                               \
	X(NPU_ATTRIBUTE_CUBE_CORES, ACL_DEV_ATTR_CUBE_CORE_NUM, 102)                               \
	X(NPU_ATTRIBUTE_VECTOR_CORES, ACL_DEV_ATTR_VECTOR_CORE_NUM, 201)                           \
	X(NPU_ATTRIBUTE_UB_BYTES, ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, 204)                          \
	X(NPU_ATTRIBUTE_MEMORY_BYTES, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, 301)                     \
	X(NPU_ATTRIBUTE_L2_BYTES, ACL_DEV_ATTR_L2_CACHE_SIZE, 302)                                 \
	X(NPU_MAGIC_AICORE, ACL_RT_BINARY_MAGIC_ELF_AICORE, 0x43554245)                            \
	X(NPU_MAGIC_VECTOR, ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE, 0x41415246)

enum acl_constant {
#define X(here, there, value) here = (value),
	ACL_CONSTANT_LIST(X)
#undef X
};

enum {
	ACL_ALREADY_INITIALISED = 100002, /* ACL_ERROR_REPEAT_INITIALIZE: harmless */
	NPU_UUID_BYTES = 16,              /* aclrtUuid */
	NPU_VERSION_BYTES = 128,          /* room for the text of aclsysGetVersionStr */
	NPU_SOC_NAME_BYTES = 50,          /* room for the text of rtGetSocVersion */
	NPU_MAX_BLOCKS = 65535 /* blocks of a launch: 16 bits in the launch's descriptor */
};

#endif
