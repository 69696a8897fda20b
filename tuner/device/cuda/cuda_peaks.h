/* Peaks of a GPU's processors and memory, measured. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_PEAKS_H
#define ASCTUNE_DEVICE_CUDA_CUDA_PEAKS_H

#include "tuner/device/cuda/cuda_device.h"

struct peaks;

/* Measures as device_ops.peaks, at five moments. FLOP/s of plain units are those of independent
 * chains of multiply-adds (f32, f64; shorter types are computed in f32); those of tensor units of
 * products out of registers by mma.sync (compute capability 8, 8-bit floats 8.9; f64 later too), of
 * products out of shared memory by wgmma (9.0), and of the vendor's product of two matrices of 8192
 * x 8192 normal numbers (f16, bf16), where its library is. Tensor units compute f32 as tf32, which
 * is no peak of f32. Bandwidth is that of a[i] = b[i] + s * c[i] over far more memory than L2
 * holds, three transfers an element; that of L2 what all blocks read of the same few megabytes past
 * L1; of L1 and of shared memory what all warps read of the same 2 KiB. A moment is the best of a
 * few launches each, which last a millisecond or so, by events around them. Empty launches are cold
 * ones on the device's own clock. ASC_ABSENT where there is no compiler. */
enum asc_status cuda_peaks_measure(struct device *d, enum dtype type, struct peaks *out,
				   struct asc_err *e);

/* Bytes of the three arrays together: 0 where four times L2 are more than a sixteenth of memory. */
size_t cuda_peaks_triad_bytes(const struct facts *f);

/* Text of the kernels, cuda_peaks.cu, and its figures. */
enum {
	PEAKS_THREADS = 256, /* of a block */
	PEAKS_CHAINS = 8,    /* multiply-adds of a thread and round */
	PEAKS_PRODUCTS = 4,  /* products of a warp, or of WIDE warps, and round */
	PEAKS_WARP = 32,
	PEAKS_WIDE = 4,
	PEAKS_READS = 4, /* of READ_BYTES, of a thread and round */
	PEAKS_READ_BYTES = 16,
	PEAKS_PIECE = PEAKS_THREADS * PEAKS_READS * PEAKS_READ_BYTES /* bytes that a block reads in
									a round */
};

extern const char cuda_peaks_source[];

#endif
