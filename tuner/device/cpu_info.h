/* Description of this machine's processor, read from /proc and /sys; what these files do not tell
 * stays unknown. */
#ifndef ASCTUNE_DEVICE_CPU_INFO_H
#define ASCTUNE_DEVICE_CPU_INFO_H

#include <stdint.h>

#include "tuner/device/device.h"

/* Fills and seals *out. */
enum asc_status cpu_info_read(struct device_info *out, struct asc_err *e);

/* Memory of the machine that is available without swapping, bytes; 0: unknown. */
int64_t cpu_info_free_bytes(void);

#endif
