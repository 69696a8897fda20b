/* Our declarations of CUPTI against the toolkit's. Compiled by ci/abi-check, never run. */
#include <cupti.h>

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "tuner/device/libs/cupti_abi.h"

#define SAME(what) _Static_assert(what, #what)

#define X(member, symbol, parameters)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(symbol), unsigned parameters),      \
		       "the type of " #symbol);
CUPTI_LIST(X)
#undef X

SAME(__builtin_types_compatible_p(__typeof__(CUPTI_NEXT),
				  unsigned(uint8_t *, size_t, CUpti_Activity **)));
SAME(CUPTI_KIND_KERNEL == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME(CUPTI_KIND_COPY == CUPTI_ACTIVITY_KIND_MEMCPY);
SAME(CUPTI_KIND_FILL == CUPTI_ACTIVITY_KIND_MEMSET);
SAME(CUPTI_FLUSH_FORCED == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

#define LAYOUT(type)                                                                               \
	SAME(CUPTI_AT_KIND == offsetof(type, kind));                                               \
	SAME(CUPTI_AT_START == offsetof(type, start));                                             \
	SAME(CUPTI_AT_END == offsetof(type, end));                                                 \
	SAME(CUPTI_AT_GRID == offsetof(type, gridX) &&                                             \
	     CUPTI_AT_GRID + 4 == offsetof(type, gridY));                                          \
	SAME(CUPTI_AT_GRID + 8 == offsetof(type, gridZ));                                          \
	SAME(CUPTI_AT_NAME == offsetof(type, name));                                               \
	SAME(CUPTI_AT_CORRELATION == offsetof(type, correlationId));                               \
	SAME(sizeof(((type *)0)->start) == sizeof(uint64_t));                                      \
	SAME(sizeof(((type *)0)->correlationId) == sizeof(uint32_t))

LAYOUT(CUpti_ActivityKernel4);
LAYOUT(CUpti_ActivityKernel5);
LAYOUT(CUpti_ActivityKernel6);
LAYOUT(CUpti_ActivityKernel7);
LAYOUT(CUpti_ActivityKernel8);
LAYOUT(CUpti_ActivityKernel9);
#if CUPTI_API_VERSION >= 130000
LAYOUT(CUpti_ActivityKernel10);
#endif

#define TRANSFER(type)                                                                             \
	SAME(CUPTI_AT_KIND == offsetof(type, kind) && CUPTI_AT_BYTES == offsetof(type, bytes));    \
	SAME(CUPTI_AT_START == offsetof(type, start) && CUPTI_AT_END == offsetof(type, end));      \
	SAME(CUPTI_AT_TRANSFER_CORRELATION == offsetof(type, correlationId));                      \
	SAME(sizeof(((type *)0)->bytes) == sizeof(uint64_t));                                      \
	SAME(sizeof(((type *)0)->correlationId) == sizeof(uint32_t))

TRANSFER(CUpti_ActivityMemcpy5);
TRANSFER(CUpti_ActivityMemset4);
#if CUPTI_API_VERSION >= 130000
TRANSFER(CUpti_ActivityMemcpy6);
#endif

/* ---- the range profiler ---- */

#define X(member, symbol, there, bytes)                                                            \
	_Static_assert(__builtin_types_compatible_p(__typeof__(symbol),                            \
						    unsigned(CUpti_##there##_Params *)),           \
		       "the type of " #symbol);                                                    \
	_Static_assert(CUpti_##there##_Params_STRUCT_SIZE == (bytes), "the size of " #there);      \
	_Static_assert(sizeof(struct cupti_##member) == sizeof(CUpti_##there##_Params),            \
		       "the layout of " #there);                                                   \
	SAME(offsetof(struct cupti_##member, size) ==                                              \
	     offsetof(CUpti_##there##_Params, structSize));                                        \
	SAME(offsetof(struct cupti_##member, private) == offsetof(CUpti_##there##_Params, pPriv));
CUPTI_RANGE_LIST(X)
#undef X

/* Some codes have names since CUDA 13 alone. */
#if CUPTI_API_VERSION >= 130000
#define X(here, there, value) SAME(here == (value) && (int)CUPTI_##there == (value));
CUPTI_CONSTANT_LIST(X)
#undef X
#endif

/* Offset and size of a member. */
#define FIELD(here, member, there, other)                                                          \
	SAME(offsetof(struct cupti_##here, member) == offsetof(CUpti_##there##_Params, other) &&   \
	     sizeof(((struct cupti_##here *)0)->member) ==                                         \
		     sizeof(((CUpti_##there##_Params *)0)->other))

FIELD(supported, device, Profiler_DeviceSupported, cuDevice);
FIELD(supported, all, Profiler_DeviceSupported, isSupported);
FIELD(supported, architecture, Profiler_DeviceSupported, architecture);
FIELD(supported, sli, Profiler_DeviceSupported, sli);
FIELD(supported, virtual, Profiler_DeviceSupported, vGpu);
FIELD(supported, confidential, Profiler_DeviceSupported, confidentialCompute);
FIELD(supported, cmp, Profiler_DeviceSupported, cmp);
FIELD(supported, wsl, Profiler_DeviceSupported, wsl);
FIELD(supported, api, Profiler_DeviceSupported, api);
FIELD(chip, device, Device_GetChipName, deviceIndex);
FIELD(chip, name, Device_GetChipName, pChipName);
FIELD(host_chips, n, Profiler_Host_GetSupportedChips, numChips);
FIELD(host_chips, names, Profiler_Host_GetSupportedChips, ppChipNames);
FIELD(host_open, type, Profiler_Host_Initialize, profilerType);
FIELD(host_open, chip, Profiler_Host_Initialize, pChipName);
FIELD(host_open, availability, Profiler_Host_Initialize, pCounterAvailabilityImage);
FIELD(host_open, host, Profiler_Host_Initialize, pHostObject);
FIELD(host_close, host, Profiler_Host_Deinitialize, pHostObject);
FIELD(host_metric, host, Profiler_Host_GetMetricProperties, pHostObject);
FIELD(host_metric, name, Profiler_Host_GetMetricProperties, pMetricName);
FIELD(host_metric, description, Profiler_Host_GetMetricProperties, pDescription);
FIELD(host_metric, unit, Profiler_Host_GetMetricProperties, pHwUnit);
FIELD(host_metric, dimension, Profiler_Host_GetMetricProperties, pDimUnit);
FIELD(host_metric, type, Profiler_Host_GetMetricProperties, metricType);
FIELD(host_names, host, Profiler_Host_GetBaseMetrics, pHostObject);
FIELD(host_names, type, Profiler_Host_GetBaseMetrics, metricType);
FIELD(host_names, names, Profiler_Host_GetBaseMetrics, ppMetricNames);
FIELD(host_names, n, Profiler_Host_GetBaseMetrics, numMetrics);
FIELD(host_add, host, Profiler_Host_ConfigAddMetrics, pHostObject);
FIELD(host_add, names, Profiler_Host_ConfigAddMetrics, ppMetricNames);
FIELD(host_add, n, Profiler_Host_ConfigAddMetrics, numMetrics);
FIELD(host_size, host, Profiler_Host_GetConfigImageSize, pHostObject);
FIELD(host_size, bytes, Profiler_Host_GetConfigImageSize, configImageSize);
FIELD(host_image, host, Profiler_Host_GetConfigImage, pHostObject);
FIELD(host_image, bytes, Profiler_Host_GetConfigImage, configImageSize);
FIELD(host_image, image, Profiler_Host_GetConfigImage, pConfigImage);
FIELD(host_passes, bytes, Profiler_Host_GetNumOfPasses, configImageSize);
FIELD(host_passes, image, Profiler_Host_GetNumOfPasses, pConfigImage);
FIELD(host_passes, passes, Profiler_Host_GetNumOfPasses, numOfPasses);
FIELD(host_values, host, Profiler_Host_EvaluateToGpuValues, pHostObject);
FIELD(host_values, data, Profiler_Host_EvaluateToGpuValues, pCounterDataImage);
FIELD(host_values, data_bytes, Profiler_Host_EvaluateToGpuValues, counterDataImageSize);
FIELD(host_values, range, Profiler_Host_EvaluateToGpuValues, rangeIndex);
FIELD(host_values, names, Profiler_Host_EvaluateToGpuValues, ppMetricNames);
FIELD(host_values, n, Profiler_Host_EvaluateToGpuValues, numMetrics);
FIELD(host_values, values, Profiler_Host_EvaluateToGpuValues, pMetricValues);
FIELD(range_enable, context, RangeProfiler_Enable, ctx);
FIELD(range_enable, ranges, RangeProfiler_Enable, pRangeProfilerObject);
FIELD(range_disable, ranges, RangeProfiler_Disable, pRangeProfilerObject);
FIELD(range_size, ranges, RangeProfiler_GetCounterDataSize, pRangeProfilerObject);
FIELD(range_size, names, RangeProfiler_GetCounterDataSize, pMetricNames);
FIELD(range_size, n, RangeProfiler_GetCounterDataSize, numMetrics);
FIELD(range_size, most, RangeProfiler_GetCounterDataSize, maxNumOfRanges);
FIELD(range_size, nodes, RangeProfiler_GetCounterDataSize, maxNumRangeTreeNodes);
FIELD(range_size, bytes, RangeProfiler_GetCounterDataSize, counterDataSize);
FIELD(range_image, ranges, RangeProfiler_CounterDataImage_Initialize, pRangeProfilerObject);
FIELD(range_image, bytes, RangeProfiler_CounterDataImage_Initialize, counterDataSize);
FIELD(range_image, data, RangeProfiler_CounterDataImage_Initialize, pCounterData);
FIELD(range_config, ranges, RangeProfiler_SetConfig, pRangeProfilerObject);
FIELD(range_config, image_bytes, RangeProfiler_SetConfig, configSize);
FIELD(range_config, image, RangeProfiler_SetConfig, pConfig);
FIELD(range_config, data_bytes, RangeProfiler_SetConfig, counterDataImageSize);
FIELD(range_config, data, RangeProfiler_SetConfig, pCounterDataImage);
FIELD(range_config, range, RangeProfiler_SetConfig, range);
FIELD(range_config, replay, RangeProfiler_SetConfig, replayMode);
FIELD(range_config, most, RangeProfiler_SetConfig, maxRangesPerPass);
FIELD(range_config, levels, RangeProfiler_SetConfig, numNestingLevels);
FIELD(range_config, least_level, RangeProfiler_SetConfig, minNestingLevel);
FIELD(range_config, pass, RangeProfiler_SetConfig, passIndex);
FIELD(range_config, target_level, RangeProfiler_SetConfig, targetNestingLevel);
FIELD(range_start, ranges, RangeProfiler_Start, pRangeProfilerObject);
FIELD(range_stop, ranges, RangeProfiler_Stop, pRangeProfilerObject);
FIELD(range_stop, pass, RangeProfiler_Stop, passIndex);
FIELD(range_stop, level, RangeProfiler_Stop, targetNestingLevel);
FIELD(range_stop, complete, RangeProfiler_Stop, isAllPassSubmitted);
FIELD(range_decode, ranges, RangeProfiler_DecodeData, pRangeProfilerObject);
FIELD(range_decode, dropped, RangeProfiler_DecodeData, numOfRangeDropped);
FIELD(range_count, data, RangeProfiler_GetCounterDataInfo, pCounterDataImage);
FIELD(range_count, data_bytes, RangeProfiler_GetCounterDataInfo, counterDataImageSize);
FIELD(range_count, n, RangeProfiler_GetCounterDataInfo, numTotalRanges);
