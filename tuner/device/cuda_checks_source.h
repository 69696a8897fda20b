/* The text of the kernels of cuda_checks.c, CUDA C++ without headers. */
#ifndef ASCTUNE_DEVICE_CUDA_CHECKS_SOURCE_H
#define ASCTUNE_DEVICE_CUDA_CHECKS_SOURCE_H

enum { CHECKS_THREADS = 256 }; /* of a block: THREADS of the source */

extern const char cuda_checks_source[];

#endif
