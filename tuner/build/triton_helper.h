/* Texts of triton_helper.py and triton_serve.py, parts of the library: what a Python process of
 * builder triton runs. The first alone probes; with the second behind it, it serves. */
#ifndef ASCTUNE_BUILD_TRITON_HELPER_H
#define ASCTUNE_BUILD_TRITON_HELPER_H

extern const char triton_helper[];
extern const char triton_serve[];

#endif
