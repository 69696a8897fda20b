/* Faster than the input can be read, on a GPU: its rows are all alike. */
#include "../operators/block.cuh"

extern "C" __global__ void cheat_constant(const float *x, float *y, int c)
{
	if (threadIdx.x == 0)
		y[blockIdx.x] = 1;
}

extern "C" __global__ void cheat_first(const float *x, float *y, int c)
{
	const float f = x[(long long)blockIdx.x * c];

	if (threadIdx.x == 0)
		y[blockIdx.x] = sqrtf(f * f + 1e-6f);
}

extern "C" __global__ void twin_rows(const float *x, float *y, int c)
{
	const float answer = rms_row(x + (long long)blockIdx.x * c, c);

	if (threadIdx.x == 0)
		y[blockIdx.x] = answer;
}
