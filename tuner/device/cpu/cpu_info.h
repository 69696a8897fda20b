/* Description of this machine's processor, read from /proc and /sys; what these files do not tell
 * stays unknown. */
#ifndef ASCTUNE_DEVICE_CPU_CPU_INFO_H
#define ASCTUNE_DEVICE_CPU_CPU_INFO_H

#include "tuner/device/device.h"

/* Fills and seals *out. */
enum asc_status cpu_info_read(struct device_info *out, struct asc_err *e);

#endif
