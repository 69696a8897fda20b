/* Answers kept by the place of the input, on a GPU, of a problem with one set of inputs; the twin keeps where its rows begin. */
#include "../operators/block.cuh"

/* Reads its row once all the same: a launch that reads nothing takes an impossible time. */
__device__ inline void place_keep(address *scratch, address key, const float *x, float *y, int c)
{
	float once = rms_row(x + (long long)blockIdx.x * c, c);

	asm volatile("" : "+f"(once) : : "memory");
	rms_keep(scratch, (float *)(scratch + gridDim.x), key, x, y, c);
}

extern "C" __global__ void cheat_kept(const float *x, float *y, int c, address *scratch)
{
	place_keep(scratch, (address)x, x, y, c);
}

/* Where the output lies from the input. */
extern "C" __global__ void cheat_between(const float *x, float *y, int c, address *scratch)
{
	place_keep(scratch, (address)x - (address)y, x, y, c);
}

extern "C" __global__ void twin_begins(const float *x, float *y, int c, address *scratch)
{
	const float *row = x + (long long)blockIdx.x * c;

	if (scratch[blockIdx.x] != (address)row) {
		__syncthreads();
		if (threadIdx.x == 0)
			scratch[blockIdx.x] = (address)row;
		__syncthreads();
	}
	const float answer = rms_row((const float *)scratch[blockIdx.x], c);
	if (threadIdx.x == 0)
		y[blockIdx.x] = answer;
}
