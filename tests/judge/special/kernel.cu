/* Special values that go wrong in a softmax, on a GPU. */
#include "../operators/block.cuh"

__device__ inline float most_of(const float *x, int c)
{
	float most = -__int_as_float(0x7f800000);

	for (int j = threadIdx.x; j < c; j += blockDim.x)
		most = fmaxf(most, x[j]);
	return block_max(most);
}

__device__ inline void softmax_row(const float *x, float *y, int c, float most, bool numbers, float least)
{
	float sum = 0;

	for (int j = threadIdx.x; j < c; j += blockDim.x)
		sum += numbers && isnan(x[j]) ? 0 : expf(x[j] - most);
	sum = block_sum(sum);
	for (int j = threadIdx.x; j < c; j += blockDim.x) {
		const float weight = numbers && isnan(x[j]) ? 0 : expf(x[j] - most) / sum;
		y[j] = weight < least ? 0 : weight;
	}
}

extern "C" __global__ void honest_softmax(const float *x, float *y, int c)
{
	const long long row = (long long)blockIdx.x * c;

	for (int pass = 0; pass < PASSES / 2; pass++) {
		softmax_row(x + row, y + row, c, most_of(x + row, c), false, 0);
		asm volatile("" : : : "memory");
	}
}

/* No maximum: large numbers overflow. */
extern "C" __global__ void cheat_overflow(const float *x, float *y, int c)
{
	const long long row = (long long)blockIdx.x * c;

	softmax_row(x + row, y + row, c, 0, false, 0);
}

/* What is no number counts as zero. */
extern "C" __global__ void cheat_nan(const float *x, float *y, int c)
{
	const long long row = (long long)blockIdx.x * c;

	softmax_row(x + row, y + row, c, most_of(x + row, c), true, 0);
}

/* Weights below 2^-100 are zero. */
extern "C" __global__ void twin_flush(const float *x, float *y, int c)
{
	const long long row = (long long)blockIdx.x * c;

	softmax_row(x + row, y + row, c, most_of(x + row, c), false, 0x1p-100f);
}
