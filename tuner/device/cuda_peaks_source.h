/* The text of the kernels of cuda_peaks.c, CUDA C++ without headers. */
#ifndef ASCTUNE_DEVICE_CUDA_PEAKS_SOURCE_H
#define ASCTUNE_DEVICE_CUDA_PEAKS_SOURCE_H

enum {
	PEAKS_THREADS = 256, /* of a block */
	PEAKS_CHAINS = 8,    /* multiply-adds of a thread and round */
	PEAKS_PRODUCTS = 4,  /* products of a warp and round */
	PEAKS_WARP = 32
};

extern const char cuda_peaks_source[];

#endif
