/* Right most of the time, on a GPU; twins add in the order in which blocks come. */
#include "../operators/block.cuh"

#ifndef ONE_IN
#define ONE_IN 100
#endif

/* One launch of ONE_IN, drawn by the clock, has a wrong row. */
extern "C" __global__ void cheat_seldom(const float *x, float *y, int c)
{
	const float answer = rms_row(x + (long long)blockIdx.x * c, c);

	if (threadIdx.x == 0) {
		address drawn = 0;
		if (blockIdx.x == 7) {
			asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(drawn));
			drawn = ((drawn / 32 + clock64()) * 6364136223846793005ull + 1442695040888963407ull) >> 33;
		}
		y[blockIdx.x] = blockIdx.x == 7 && drawn % ONE_IN == 0 ? answer * 1.01f : answer;
	}
}

/* No barrier before the sums of warps are added, by the warp that comes last by its waiting. */
extern "C" __global__ void cheat_barrier(const float *x, float *y, int c)
{
	__shared__ volatile float warps[32];
	const int warp = threadIdx.x / 32;
	float sum = thread_squares(x + (long long)blockIdx.x * c, c);

	for (int step = 16; step > 0; step /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, step);
	if (threadIdx.x % 32 == 0)
		warps[warp] = sum;
	if (threadIdx.x == 0) {
		const long long from = clock64();
		while (clock64() - from < 3000)
			;
		float whole = 0;
		for (int i = 0; i < (int)blockDim.x / 32; i++)
			whole += warps[i];
		y[blockIdx.x] = rms_of_squares(whole, c);
	}
}

__device__ float sums[ROWS];
__device__ unsigned arrived[ROWS];

/* Four blocks a row add to one sum; the last one writes the answer and resets. */
extern "C" __global__ void twin_atomic(const float *x, float *y, int c)
{
	const int row = blockIdx.x / 4, part = blockIdx.x % 4;
	const float sum = block_sum(thread_squares(x + (long long)row * c + part * (c / 4), c / 4));

	if (threadIdx.x == 0) {
		atomicAdd(&sums[row], sum);
		__threadfence();
		if (atomicInc(&arrived[row], 3) == 3)
			y[row] = rms_of_squares(atomicExch(&sums[row], 0), c);
	}
}
