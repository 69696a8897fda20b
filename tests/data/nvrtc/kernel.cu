/* For t-nvrtc: includes a header of the toolkit and one beside it. */
#include <cuda_fp16.h>

#include "amount.h"

#if DTYPE_T != DTYPE_f16
#error "T is f16"
#endif

extern "C" __global__ void scale(const __half *in, float *out, int n)
{
	const int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		out[i] = __half2float(in[i]) * AMOUNT;
}
