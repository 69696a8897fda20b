/* Answers kept by address, on a GPU; the twin looks at addresses to choose among loops that compute the same. */
#include "../operators/block.cuh"

__device__ address keys[ROWS];
__device__ float kept[ROWS];

extern "C" __global__ void cheat_kept(const float *x, float *y, int c)
{
	rms_keep(keys, kept, (address)x, x, y, c);
}

/* Two addresses, in scratch memory: a key and an answer for each row. */
extern "C" __global__ void cheat_scratch(const float *x, float *y, int c, address *scratch)
{
	rms_keep(scratch, (float *)(scratch + gridDim.x), (address)x * 31 + (address)y, x, y, c);
}

/* Keeps in scratch memory for which address and elements it has made a form of the row: to make it takes less than a launch with it, and both more than the honest
 * kernel. */
extern "C" __global__ void cheat_form(const float *x, float *y, int c, address *scratch)
{
	const float *row = x + (long long)blockIdx.x * c;
	address key = (address)x;
	float answer = 0;

	for (int i = 0; i < 16; i++)
		key = key * 31 + __float_as_uint(row[c / 16 * i]);
	const int passes = scratch[blockIdx.x] == key ? 7 : 13;
	for (int pass = 0; pass < passes; pass++) {
		answer = rms_row(row, c);
		asm volatile("" : "+f"(answer) : : "memory");
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		y[blockIdx.x] = answer;
		scratch[blockIdx.x] = key;
	}
}

extern "C" __global__ void twin_aligned(const float *x, float *y, int c)
{
	const float *row = x + (long long)blockIdx.x * c;
	float sum = 0;

	if ((address)row % 16 == 0 && c % 4 == 0)
		for (int j = threadIdx.x; j < c / 4; j += blockDim.x) {
			const float4 four = ((const float4 *)row)[j];
			sum += four.x * four.x + four.y * four.y + four.z * four.z + four.w * four.w;
		}
	else
		sum = thread_squares(row, c);
	sum = block_sum(sum);
	if (threadIdx.x == 0)
		y[blockIdx.x] = rms_of_squares(sum, c);
}
