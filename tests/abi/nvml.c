/* Our declarations of NVML against the toolkit's. Compiled by ci/abi-check, never run. */
#include <nvml.h>

#include "tuner/device/libs/nvml.h"

#define SAME(what) _Static_assert(what, #what)

SAME(sizeof(struct nvml_field) == sizeof(nvmlFieldValue_t));
SAME(offsetof(struct nvml_field, id) == offsetof(nvmlFieldValue_t, fieldId));
SAME(offsetof(struct nvml_field, type) == offsetof(nvmlFieldValue_t, valueType));
SAME(offsetof(struct nvml_field, rc) == offsetof(nvmlFieldValue_t, nvmlReturn));
SAME(offsetof(struct nvml_field, value) == offsetof(nvmlFieldValue_t, value));
SAME(sizeof(struct nvml_process) == sizeof(nvmlProcessInfo_v2_t));
SAME(offsetof(struct nvml_process, pid) == offsetof(nvmlProcessInfo_v2_t, pid));
SAME(offsetof(struct nvml_process, memory_bytes) == offsetof(nvmlProcessInfo_v2_t, usedGpuMemory));
SAME(NVML_TYPE_UNSIGNED == NVML_VALUE_TYPE_UNSIGNED_INT);
SAME(NVML_FIELD_POWER == NVML_FI_DEV_POWER_INSTANT);
SAME(NVML_REASON_POWER_CAP == nvmlClocksThrottleReasonSwPowerCap);
SAME(NVML_REASON_SLOWDOWN == nvmlClocksThrottleReasonHwSlowdown);
SAME(NVML_REASON_HARDWARE_THERMAL == nvmlClocksThrottleReasonHwThermalSlowdown);
SAME(NVML_REASON_POWER_BRAKE == nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
