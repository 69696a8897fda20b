/* Work only where the output has no answer yet, on a GPU; the twin stores what differs from what is there. */
#include "../operators/block.cuh"

__device__ inline void unless(bool there, const float *x, float *y, int c)
{
	if (there)
		return;
	const float answer = rms_row_slow(x + (long long)blockIdx.x * c, c);
	if (threadIdx.x == 0)
		y[blockIdx.x] = answer;
}

extern "C" __global__ void cheat_pattern(const float *x, float *y, int c)
{
	const bool there = __float_as_uint(y[blockIdx.x]) != 0xffffffffu;

	__syncthreads();
	unless(there, x, y, c);
}

extern "C" __global__ void cheat_plausible(const float *x, float *y, int c)
{
	const float answer = y[blockIdx.x];

	__syncthreads();
	unless(answer > 0.5f && answer < 2, x, y, c);
}

extern "C" __global__ void twin_silent(const float *x, float *y, int c)
{
	const float answer = rms_row(x + (long long)blockIdx.x * c, c);

	if (threadIdx.x == 0 && __float_as_uint(y[blockIdx.x]) != __float_as_uint(answer))
		y[blockIdx.x] = answer;
}
