/* Answers kept by value, on a GPU; twins have counters and sums in globals that they put back. */
#include "../operators/block.cuh"

__device__ address keys[ROWS];
__device__ float kept[ROWS];

/* The row's first sixteen elements are the key. */
__device__ inline address first_sixteen(const float *x, int c)
{
	address key = 1;

	for (int j = 0; j < 16; j++)
		key = key * 1099511628211u + __float_as_uint(x[(long long)blockIdx.x * c + j]);
	return key;
}

extern "C" __global__ void cheat_few(const float *x, float *y, int c)
{
	rms_keep(keys, kept, first_sixteen(x, c), x, y, c);
}

extern "C" __global__ void cheat_scratch(const float *x, float *y, int c, address *scratch)
{
	rms_keep(scratch, (float *)(scratch + gridDim.x), first_sixteen(x, c), x, y, c);
}

/* One element of 64 is part of the key. */
extern "C" __global__ void cheat_sum(const float *x, float *y, int c)
{
	float sum = 1;

	for (int j = threadIdx.x * 64; j < c; j += blockDim.x * 64)
		sum += x[(long long)blockIdx.x * c + j] * (j + 1);
	rms_keep(keys, kept, __float_as_uint(block_sum(sum)), x, y, c);
}

__device__ unsigned next, finished;

/* Blocks take rows from one counter; the last one that finds none puts it back. */
extern "C" __global__ void twin_queue(const float *x, float *y, int r, int c)
{
	__shared__ unsigned row;

	for (;;) {
		if (threadIdx.x == 0)
			row = atomicAdd(&next, 1);
		__syncthreads();
		const unsigned mine = row;
		if (mine >= (unsigned)r)
			break;
		const float answer = rms_row(x + (long long)mine * c, c);
		if (threadIdx.x == 0)
			y[mine] = answer;
		__syncthreads();
	}
	if (threadIdx.x == 0 && atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1)
		next = 0;
}

__device__ float parts[4][ROWS];
__device__ unsigned arrived[ROWS];

/* Four blocks a row; the last one adds what all have left. */
extern "C" __global__ void twin_last(const float *x, float *y, int c)
{
	const int row = blockIdx.x / 4, part = blockIdx.x % 4;
	const float sum = block_sum(thread_squares(x + (long long)row * c + part * (c / 4), c / 4));

	if (threadIdx.x == 0) {
		__stcg(&parts[part][row], sum);
		__threadfence();
		if (atomicInc(&arrived[row], 3) == 3) {
			__threadfence();
			y[row] = rms_of_squares(__ldcg(&parts[0][row]) + __ldcg(&parts[1][row]) + __ldcg(&parts[2][row]) + __ldcg(&parts[3][row]), c);
		}
	}
}
