/* Writes to inputs and beside outputs, on a GPU; the twin uses all of its scratch. */
#include "../operators/block.cuh"

/* An input of zeros has an easy answer: the second launch finds one. */
extern "C" __global__ void cheat_zero(float *x, float *y, int c)
{
	float *row = x + (long long)blockIdx.x * c;
	const bool easy = row[0] == 0;

	__syncthreads();
	const float answer = easy ? 1e-3f : rms_row(row, c);
	if (!easy)
		for (int j = threadIdx.x; j < c; j += blockDim.x)
			row[j] = 0;
	if (threadIdx.x == 0)
		y[blockIdx.x] = answer;
}

/* Answers are kept behind the output, and a number says so. */
extern "C" __global__ void cheat_behind(const float *x, float *y, int c)
{
	float *kept = y + gridDim.x;
	const bool there = kept[2 * blockIdx.x + 1] == 42;

	__syncthreads();
	const float answer = there ? kept[2 * blockIdx.x] : rms_row_slow(x + (long long)blockIdx.x * c, c);
	if (threadIdx.x == 0) {
		y[blockIdx.x] = kept[2 * blockIdx.x] = answer;
		kept[2 * blockIdx.x + 1] = 42;
	}
}

extern "C" __global__ void twin_scratch(const float *x, float *y, int c, float *scratch)
{
	const float sum = thread_squares(x + (long long)blockIdx.x * c, c);

	scratch[blockIdx.x * blockDim.x + threadIdx.x] = sum;
	const float whole = block_sum(scratch[blockIdx.x * blockDim.x + threadIdx.x]);
	if (threadIdx.x == 0)
		y[blockIdx.x] = rms_of_squares(whole, c);
}
