/* libruntime.so of the stand-in: the functions of tuner/device/libs/acl_abi.h, those beside them
 * that launchers of other programs call, and the prototypes of all. */
#ifndef ASCTUNE_STANDIN_STANDIN_RT_H
#define ASCTUNE_STANDIN_STANDIN_RT_H

#include <stddef.h>

#include "tuner/device/libs/acl_abi.h"

/* rtArgsEx_t: arguments on the host, and what is to be copied with them. */
struct rt_arguments {
	void *block;
	void *inputs;
	uint32_t bytes, tiling_address_at, tiling_at;
	uint16_t n_inputs;
	uint8_t has_tiling, is_on_device;
	uint8_t reserved[4];
};
_Static_assert(sizeof(struct rt_arguments) == 40 && offsetof(struct rt_arguments, n_inputs) == 28,
	       "layout of rtArgsEx_t");

/* rtTaskCfgInfo_t. */
struct rt_task_config {
	uint8_t qos, part, schedule;
	_Bool crosses_dies;
	uint32_t first_block;
	uint8_t dumps, never_times_out, is_profiled, revision;
	uint32_t ub_bytes; /* of a SIMT kernel */
};
_Static_assert(sizeof(struct rt_task_config) == 16, "layout of rtTaskCfgInfo_t");

/* member, symbol, result, parameters */
#define STANDIN_RT_LIST(X)                                                                         \
	X(device_set, rtSetDevice, int, (int32_t device))                                          \
	X(launch_with, rtKernelLaunchWithFlagV2, int,                                              \
	  (const void *stub, uint32_t blocks, struct rt_arguments *arguments,                      \
	   void *memory_description, void *stream, uint32_t flags,                                 \
	   const struct rt_task_config *config))                                                   \
	X(ai_cores, rtGetAiCoreCount, int, (uint32_t * n))                                         \
	X(soc_spec, rtGetSocSpec, int,                                                             \
	  (const char *label, const char *key, char *value, const uint32_t size))                  \
	X(stream_create, rtStreamCreate, int, (void **stream, int32_t priority))                   \
	X(stream_destroy, rtStreamDestroy, int, (void *stream))                                    \
	X(stream_synchronize, rtStreamSynchronize, int, (void *stream))                            \
	X(alloc, rtMalloc, int,                                                                    \
	  (void **out, uint64_t bytes, uint32_t type, const uint16_t module))                      \
	X(free, rtFree, int, (void *at))                                                           \
	X(copy, rtMemcpy, int, (void *to, uint64_t room, const void *from, uint64_t n, int kind))

#define X(member, symbol, result, parameters) result symbol parameters;
RT_LIST(X)
STANDIN_RT_LIST(X)
#undef X

#endif
