/* Answers kept by launch number, on a GPU; the twin walks rows up and down in turns. */
#include "../operators/block.cuh"

__device__ unsigned launches[ROWS];
__device__ float kept[ROWS];

__device__ inline void compute(const float *x, float *y, int c)
{
	const float answer = rms_row_slow(x + (long long)blockIdx.x * c, c);

	if (threadIdx.x == 0)
		y[blockIdx.x] = kept[blockIdx.x] = answer;
}

/* Computes in the first eight launches. */
extern "C" __global__ void cheat_number(const float *x, float *y, int c)
{
	const unsigned launch = launches[blockIdx.x];

	__syncthreads();
	if (threadIdx.x == 0)
		launches[blockIdx.x] = launch + 1;
	if (launch < 8)
		compute(x, y, c);
	else if (threadIdx.x == 0)
		y[blockIdx.x] = kept[blockIdx.x];
}

extern "C" __global__ void cheat_second(const float *x, float *y, int c)
{
	const unsigned launch = launches[blockIdx.x];

	__syncthreads();
	if (threadIdx.x == 0)
		launches[blockIdx.x] = launch + 1;
	if (launch % 2 == 0)
		compute(x, y, c);
	else if (threadIdx.x == 0)
		y[blockIdx.x] = kept[blockIdx.x];
}

/* Computes where the launch before ended over a millisecond ago. */
__device__ address ended_ns[ROWS];
extern "C" __global__ void cheat_phase(const float *x, float *y, int c)
{
	address now_ns;
	__shared__ address before_ns;

	if (threadIdx.x == 0) {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
		before_ns = now_ns - ended_ns[blockIdx.x];
		ended_ns[blockIdx.x] = now_ns;
	}
	__syncthreads();
	if (before_ns > 1000000)
		compute(x, y, c);
	else if (threadIdx.x == 0)
		y[blockIdx.x] = kept[blockIdx.x];
}

/* Each block has its own count, so that each row goes to the same block or to its mirror. */
extern "C" __global__ void twin_turns(const float *x, float *y, int c)
{
	const int row = launches[blockIdx.x] % 2 ? gridDim.x - 1 - blockIdx.x : blockIdx.x;

	__syncthreads();
	if (threadIdx.x == 0)
		launches[blockIdx.x]++;
	const float answer = rms_row(x + (long long)row * c, c);
	if (threadIdx.x == 0)
		y[row] = answer;
}
