/* Each row i of x[n, n] up to column i, divided by its root mean square, zeros behind: a block a row. `honest` does it several times. */
#include "block.cuh"

__device__ inline float lower_scale(const float *x, int i)
{
	return rsqrtf(block_sum(thread_squares(x, i + 1)) / (i + 1) + 1e-6f);
}

__device__ inline void lower_row(const float *x, float *y, int i, float scale)
{
	for (int j = threadIdx.x; j <= i; j += blockDim.x)
		y[j] = x[j] * scale;
}

__device__ inline void lower_zeros(float *y, int i, int n)
{
	for (int j = i + 1 + threadIdx.x; j < n; j += blockDim.x)
		y[j] = 0;
}

/* The honest kernel has a name of its own: the one of block.cuh computes something else. */
extern "C" __global__ void honest_lower(const float *x, float *y, int n)
{
	const long long row = (long long)blockIdx.x * n;

	for (int pass = 0; pass < PASSES / 2; pass++) {
		const float scale = lower_scale(x + row, blockIdx.x);

		for (int j = threadIdx.x; j < n; j += blockDim.x)
			y[row + j] = j <= (int)blockIdx.x ? x[row + j] * scale : 0;
		asm volatile("" : : : "memory");
	}
}

extern "C" __global__ void twin_half(const float *x, float *y, int n)
{
	const long long row = (long long)blockIdx.x * n;

	lower_row(x + row, y + row, blockIdx.x, lower_scale(x + row, blockIdx.x));
	lower_zeros(y + row, blockIdx.x, n);
}
