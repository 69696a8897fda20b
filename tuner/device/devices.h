/* The entries of device_list, each defined in a file of its own. A new device is its file, a line
 * here and a line in device.c. */
#ifndef ASCTUNE_DEVICE_DEVICES_H
#define ASCTUNE_DEVICE_DEVICES_H

#include "tuner/device/device.h"

extern const struct device_ops device_cuda, device_npu, device_cpu;

#endif
