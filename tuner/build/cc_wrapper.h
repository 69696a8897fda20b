/* The function that makes a C kernel callable for the CPU device: text of a C file that defines
 * asctune_launch() (see device/cpu/cpu.c) and is compiled together with the kernel's source. */
#ifndef ASCTUNE_BUILD_CC_WRAPPER_H
#define ASCTUNE_BUILD_CC_WRAPPER_H

#include "tuner/base/err.h"

struct build_request;

/* *out is a heap string. ASC_INPUT for an argument that a CPU kernel cannot have. */
enum asc_status cc_wrapper_print(const struct build_request *r, char **out, struct asc_err *e);

/* Explains a compiler's words when the first error is in the call: `conv2d(): arguments[3] (scalar
 * C, i64): the kernel's parameter is int`. Heap string; NULL: it is elsewhere. */
char *cc_wrapper_reason(const char *log);

#endif
