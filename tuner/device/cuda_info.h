/* What a GPU is, as its driver tells without a context. */
#ifndef ASCTUNE_DEVICE_CUDA_INFO_H
#define ASCTUNE_DEVICE_CUDA_INFO_H

#include "tuner/device/device.h"

struct cuda_driver;

/* Usable here? If not, `reason` says why. */
bool cuda_info_check(char *reason, size_t size);
int cuda_info_count(void);

/* Fills and seals `out`. ASC_ABSENT when there is no such device. */
enum asc_status cuda_info_read(int ordinal, struct device_info *out, struct asc_err *e);

/* The PCI address by which NVML knows the device; false when there is none. */
bool cuda_info_bus(int ordinal, char *text, size_t size);

/* "GPU-" and the 16 bytes of a uuid as NVIDIA's tools print them; of a part of a GPU in
 * multi-instance mode it is the part's own. */
void cuda_info_print_uuid(const unsigned char *bytes, char *text, size_t size);

#endif
