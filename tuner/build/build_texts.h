/* Texts of tuner/python that run in an interpreter, each a part of a program: a compiler of Triton
 * kernels is interpreter, helper, that of the device, and server. */
#ifndef ASCTUNE_BUILD_BUILD_TEXTS_H
#define ASCTUNE_BUILD_BUILD_TEXTS_H

extern const char interpreter_text[];
extern const char triton_helper[];
extern const char triton_cuda[];
extern const char triton_npu[];
extern const char triton_serve[];

#endif
