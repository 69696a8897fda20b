/* Text of autotune_helper.py, part of the library: what a Python process of `asctune import-triton`
 * runs. */
#ifndef ASCTUNE_EXCHANGE_AUTOTUNE_HELPER_H
#define ASCTUNE_EXCHANGE_AUTOTUNE_HELPER_H

extern const char autotune_helper[];

#endif
