/* Text of triton_helper.py, part of the library: what a Python process of builder triton runs. */
#ifndef ASCTUNE_BUILD_TRITON_HELPER_H
#define ASCTUNE_BUILD_TRITON_HELPER_H

extern const char triton_helper[];

#endif
