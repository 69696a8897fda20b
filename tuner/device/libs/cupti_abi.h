/* CUPTI as far as it is used here, from own declarations: activity records, and the range profiler
 * with its two sides, the host's (which counters, in how many passes) and the target's
 * (collecting). libcupti is opened at run time. ci/abi-check holds all of it to the toolkit's
 * headers.
 *
 * Functions of the range profiler take one block each. Its first member is its size up to its last
 * member, which is less than sizeof where the block ends with padding; CUPTI refuses any other. */
#ifndef ASCTUNE_DEVICE_LIBS_CUPTI_ABI_H
#define ASCTUNE_DEVICE_LIBS_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct CUctx_st;

/* symbol, parameters; CUpti_Activity is opaque here */
#define CUPTI_LIST(X)                                                                              \
	X(version, cuptiGetVersion, (uint32_t * version))                                          \
	X(text, cuptiGetResultString, (unsigned rc, const char **text))                            \
	X(callbacks, cuptiActivityRegisterCallbacks,                                               \
	  (void (*requested)(uint8_t **, size_t *, size_t *),                                      \
	   void (*completed)(struct CUctx_st *, uint32_t, uint8_t *, size_t, size_t)))             \
	X(enable, cuptiActivityEnable, (unsigned kind))                                            \
	X(disable, cuptiActivityDisable, (unsigned kind))                                          \
	X(flush, cuptiActivityFlushAll, (uint32_t flag))                                           \
	X(finalize, cuptiFinalize, (void))                                                         \
	X(dropped, cuptiActivityGetNumDroppedRecords,                                              \
	  (struct CUctx_st * context, uint32_t stream, size_t * n))

/* Function left out of the list, where its declaration would need the toolkit's type of a record.
 */
#define CUPTI_NEXT cuptiActivityGetNextRecord

/* A function that libraries have from 13.2 on: it is looked for, never called. */
#define CUPTI_NEWER "cuptiProfilerHostGetSinglePassSets"

enum {
	CUPTI_KIND_COPY = 1,    /* CUPTI_ACTIVITY_KIND_MEMCPY */
	CUPTI_KIND_FILL = 2,    /* CUPTI_ACTIVITY_KIND_MEMSET */
	CUPTI_KIND_KERNEL = 10, /* CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL */
	CUPTI_FLUSH_FORCED = 1, /* CUPTI_ACTIVITY_FLAG_FLUSH_FORCED */
	/* Offsets on which CUpti_ActivityKernel4 (CUDA 9) to CUpti_ActivityKernel10 (CUDA 13)
	   agree. */
	CUPTI_AT_KIND = 0,
	CUPTI_AT_START = 16,
	CUPTI_AT_END = 24,
	CUPTI_AT_GRID = 52, /* i32 along x, y and z */
	CUPTI_AT_CORRELATION = 92,
	CUPTI_AT_NAME = 104, /* const char *: one text for all records of a kernel, which stays */
	/* Those of CUpti_ActivityMemcpy5 and 6 and of CUpti_ActivityMemset4, which begin and end at
	   the same offsets as kernels. */
	CUPTI_AT_BYTES = 8,
	CUPTI_AT_TRANSFER_CORRELATION = 44
};

/* ---- the range profiler: libraries of before CUDA 12.6 have no function of this list ---- */

/* block and member here, symbol, block there, size */
#define CUPTI_RANGE_LIST(X)                                                                        \
	X(host_chips, cuptiProfilerHostGetSupportedChips, Profiler_Host_GetSupportedChips, 32)     \
	X(host_open, cuptiProfilerHostInitialize, Profiler_Host_Initialize, 48)                    \
	X(host_close, cuptiProfilerHostDeinitialize, Profiler_Host_Deinitialize, 24)               \
	X(host_metric, cuptiProfilerHostGetMetricProperties, Profiler_Host_GetMetricProperties,    \
	  60)                                                                                      \
	X(host_names, cuptiProfilerHostGetBaseMetrics, Profiler_Host_GetBaseMetrics, 48)           \
	X(host_add, cuptiProfilerHostConfigAddMetrics, Profiler_Host_ConfigAddMetrics, 40)         \
	X(host_size, cuptiProfilerHostGetConfigImageSize, Profiler_Host_GetConfigImageSize, 32)    \
	X(host_image, cuptiProfilerHostGetConfigImage, Profiler_Host_GetConfigImage, 40)           \
	X(host_passes, cuptiProfilerHostGetNumOfPasses, Profiler_Host_GetNumOfPasses, 40)          \
	X(host_values, cuptiProfilerHostEvaluateToGpuValues, Profiler_Host_EvaluateToGpuValues,    \
	  72)                                                                                      \
	X(profiler_open, cuptiProfilerInitialize, Profiler_Initialize, 16)                         \
	X(supported, cuptiProfilerDeviceSupported, Profiler_DeviceSupported, 52)                   \
	X(chip, cuptiDeviceGetChipName, Device_GetChipName, 32)                                    \
	X(range_enable, cuptiRangeProfilerEnable, RangeProfiler_Enable, 32)                        \
	X(range_disable, cuptiRangeProfilerDisable, RangeProfiler_Disable, 24)                     \
	X(range_size, cuptiRangeProfilerGetCounterDataSize, RangeProfiler_GetCounterDataSize, 64)  \
	X(range_image, cuptiRangeProfilerCounterDataImageInitialize,                               \
	  RangeProfiler_CounterDataImage_Initialize, 40)                                           \
	X(range_config, cuptiRangeProfilerSetConfig, RangeProfiler_SetConfig, 90)                  \
	X(range_start, cuptiRangeProfilerStart, RangeProfiler_Start, 24)                           \
	X(range_stop, cuptiRangeProfilerStop, RangeProfiler_Stop, 41)                              \
	X(range_decode, cuptiRangeProfilerDecodeData, RangeProfiler_DecodeData, 32)                \
	X(range_count, cuptiRangeProfilerGetCounterDataInfo, RangeProfiler_GetCounterDataInfo, 40)

/* name here, name there (CUPTI_...), value */
#define CUPTI_CONSTANT_LIST(X)                                                                     \
	X(CUPTI_TYPE_RANGES, PROFILER_TYPE_RANGE_PROFILER, 0)                                      \
	X(CUPTI_METRIC_COUNTER, METRIC_TYPE_COUNTER, 0)                                            \
	X(CUPTI_METRIC_RATIO, METRIC_TYPE_RATIO, 1)                                                \
	X(CUPTI_METRIC_THROUGHPUT, METRIC_TYPE_THROUGHPUT, 2)                                      \
	X(CUPTI_API_RANGES, PROFILER_RANGE_PROFILING, 0)                                           \
	X(CUPTI_SUPPORT_NO, PROFILER_CONFIGURATION_UNSUPPORTED, 1)                                 \
	X(CUPTI_SUPPORT_OFF, PROFILER_CONFIGURATION_DISABLED, 2)                                   \
	X(CUPTI_SUPPORT_YES, PROFILER_CONFIGURATION_SUPPORTED, 3)                                  \
	X(CUPTI_RANGE_AUTO, AutoRange, 1)                                                          \
	X(CUPTI_REPLAY_USER, UserReplay, 3)                                                        \
	X(CUPTI_RC_MEMORY, ERROR_OUT_OF_MEMORY, 8)                                                 \
	X(CUPTI_RC_BUSY, ERROR_HARDWARE_BUSY, 26)                                                  \
	X(CUPTI_RC_PRIVILEGES, ERROR_INSUFFICIENT_PRIVILEGES, 35)                                  \
	X(CUPTI_RC_OTHER, ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39)                            \
	X(CUPTI_RC_VIRTUAL, ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, 40)                  \
	X(CUPTI_RC_CONFIDENTIAL, ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, 41)                   \
	X(CUPTI_RC_CMP, ERROR_CMP_DEVICE_NOT_SUPPORTED, 42)                                        \
	X(CUPTI_RC_MIG, ERROR_MIG_DEVICE_NOT_SUPPORTED, 43)                                        \
	X(CUPTI_RC_SLI, ERROR_SLI_DEVICE_NOT_SUPPORTED, 44)                                        \
	X(CUPTI_RC_WSL, ERROR_WSL_DEVICE_NOT_SUPPORTED, 45)

enum cupti_constant {
#define X(here, there, value) here = (value),
	CUPTI_CONSTANT_LIST(X)
#undef X
};

#define CUPTI_HEAD                                                                                 \
	size_t size; /* of the block up to its last member */                                      \
	void *private

struct cupti_profiler_open {
	CUPTI_HEAD;
};

struct cupti_supported {
	CUPTI_HEAD;
	int device;
	unsigned all; /* CUPTI_SUPPORT_...; from here on answers */
	unsigned architecture, sli, virtual, confidential, cmp, wsl;
	unsigned api; /* asked for */
};

struct cupti_chip {
	CUPTI_HEAD;
	size_t device;
	const char *name; /* answer */
};

struct cupti_host_chips {
	CUPTI_HEAD;
	size_t n; /* answers */
	const char *const *names;
};

struct cupti_host_open {
	CUPTI_HEAD;
	unsigned type;
	const char *chip;
	const uint8_t *availability; /* may be NULL */
	void *host;                  /* answer */
};

struct cupti_host_close {
	CUPTI_HEAD;
	void *host;
};

struct cupti_host_metric {
	CUPTI_HEAD;
	void *host;
	const char *name;
	const char *description, *unit, *dimension; /* answers */
	unsigned type;
};

struct cupti_host_names {
	CUPTI_HEAD;
	void *host;
	unsigned type;      /* CUPTI_METRIC_... */
	const char **names; /* answers; without roll-up */
	size_t n;
};

struct cupti_host_add {
	CUPTI_HEAD;
	void *host;
	const char **names;
	size_t n;
};

struct cupti_host_size {
	CUPTI_HEAD;
	void *host;
	size_t bytes; /* answer */
};

struct cupti_host_image {
	CUPTI_HEAD;
	void *host;
	size_t bytes;
	uint8_t *image; /* filled */
};

struct cupti_host_passes {
	CUPTI_HEAD;
	size_t bytes;
	uint8_t *image;
	size_t passes; /* answer */
};

struct cupti_host_values {
	CUPTI_HEAD;
	void *host;
	const uint8_t *data;
	size_t data_bytes, range;
	const char **names;
	size_t n;
	double *values; /* filled */
};

struct cupti_range_enable {
	CUPTI_HEAD;
	struct CUctx_st *context;
	void *ranges; /* answer */
};

struct cupti_range_disable {
	CUPTI_HEAD;
	void *ranges;
};

struct cupti_range_size {
	CUPTI_HEAD;
	void *ranges;
	const char **names;
	size_t n, most;
	uint32_t nodes; /* at least `most` */
	size_t bytes;   /* answer */
};

struct cupti_range_image {
	CUPTI_HEAD;
	void *ranges;
	size_t bytes;
	uint8_t *data;
};

struct cupti_range_config {
	CUPTI_HEAD;
	void *ranges;
	size_t image_bytes;
	const uint8_t *image;
	size_t data_bytes;
	uint8_t *data;
	unsigned range, replay;
	size_t most;
	uint16_t levels, least_level;
	size_t pass;
	uint16_t target_level;
};

struct cupti_range_start {
	CUPTI_HEAD;
	void *ranges;
};

struct cupti_range_stop {
	CUPTI_HEAD;
	void *ranges;
	size_t pass, level; /* answers: what the next start collects */
	uint8_t complete;   /* all passes were made */
};

struct cupti_range_decode {
	CUPTI_HEAD;
	void *ranges;
	size_t dropped; /* answer; ranges beyond `most` are not counted here */
};

struct cupti_range_count {
	CUPTI_HEAD;
	const uint8_t *data;
	size_t data_bytes;
	size_t n; /* answer */
};

/* ---- the opened library ---- */

struct cupti {
#define X(member, symbol, parameters) unsigned(*member) parameters;
	CUPTI_LIST(X)
#undef X
	unsigned (*next)(uint8_t *buffer, size_t bytes, void **record);
	void (*newer)(void); /* not NULL: the library is that of CUDA 13.2 or newer */
#define X(member, symbol, there, bytes) unsigned (*member)(struct cupti_##member *);
	CUPTI_RANGE_LIST(X)
#undef X
};

/* Opens the library once in a process; *out is borrowed. ASC_ABSENT where there is none, or none
 * whose records are known. */
enum asc_status cupti_get(const struct cupti **out, struct asc_err *e);

#endif
