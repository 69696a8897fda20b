/* Peaks of a GPU's processors and memory, measured. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_PEAKS_H
#define ASCTUNE_DEVICE_CUDA_CUDA_PEAKS_H

#include "tuner/device/cuda/cuda_device.h"

struct peaks;

/* Measures as device_ops.peaks, at five moments. FLOP/s are the most of independent chains of
 * multiply-adds (f32, f64), of products out of registers (f64; f16, bf16 and i8 before compute
 * capability 9), and of the vendor's product of two matrices of 8192 x 8192 normal numbers (f16,
 * bf16), where its library is. Bandwidth is that of a[i] = b[i] + s * c[i] over far more memory
 * than L2 holds, three transfers an element. A moment is the best of a few launches each, which
 * last a millisecond or so, by events around them. ASC_ABSENT where there is no compiler. */
enum asc_status cuda_peaks_measure(struct device *d, enum dtype type, struct peaks *out,
				   struct asc_err *e);

/* Bytes of the three arrays together: 0 where four times L2 are more than a sixteenth of memory. */
size_t cuda_peaks_triad_bytes(const struct facts *f);

/* Text of the kernels, CUDA C++ without headers, and its figures. */
enum {
	PEAKS_THREADS = 256, /* of a block */
	PEAKS_CHAINS = 8,    /* multiply-adds of a thread and round */
	PEAKS_PRODUCTS = 4,  /* products of a warp and round */
	PEAKS_WARP = 32
};

extern const char cuda_peaks_source[];

#endif
