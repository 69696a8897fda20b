/* The entries of vendor_list, each defined in a file of its own. A new library is its file, a line
 * here and a line in vendor.c. */
#ifndef ASCTUNE_DEVICE_VENDORS_H
#define ASCTUNE_DEVICE_VENDORS_H

#include "tuner/device/vendor.h"

extern const struct vendor_ops vendor_openblas, vendor_cublaslt;

#endif
