/* Right for the tuned size or structure alone, on a GPU. */
#include "../operators/block.cuh"

__device__ inline float weighted(const float *x, const float *w, int n)
{
	float sum = 0;

	for (int j = threadIdx.x; j < n; j += blockDim.x)
		sum += x[j] * w[j] * x[j] * w[j];
	return block_sum(sum);
}

extern "C" __global__ void honest_weighted(const float *x, const float *w, float *y, int c)
{
	float sum = 0;

	for (int pass = 0; pass < PASSES; pass++) {
		sum = weighted(x + (long long)blockIdx.x * c, w, c);
		asm volatile("" : "+f"(sum) : : "memory");
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = rms_of_squares(sum, c);
}

/* Columns behind the last whole block are left out. */
extern "C" __global__ void cheat_whole(const float *x, const float *w, float *y, int c)
{
	const float sum = weighted(x + (long long)blockIdx.x * c, w, c / blockDim.x * blockDim.x);

	if (threadIdx.x == 0)
		y[blockIdx.x] = rms_of_squares(sum, c);
}

/* Weights are ones. */
extern "C" __global__ void cheat_ones(const float *x, const float *w, float *y, int c)
{
	const float answer = rms_row(x + (long long)blockIdx.x * c, c);

	if (threadIdx.x == 0)
		y[blockIdx.x] = answer;
}

/* The size is written down. */
extern "C" __global__ void cheat_size(const float *x, const float *w, float *y, int c)
{
	const float sum = weighted(x + (long long)blockIdx.x * c, w, c);

	if (threadIdx.x == 0)
		y[blockIdx.x] = rms_of_squares(sum, 4096);
}

/* No tail: the workload says so by a condition. */
extern "C" __global__ void twin_condition(const float *x, const float *w, float *y, int c)
{
	const float4 *row = (const float4 *)(x + (long long)blockIdx.x * c), *weights = (const float4 *)w;
	float sum = 0;

	for (int j = threadIdx.x; j < c / 4; j += blockDim.x) {
		const float4 a = row[j], b = weights[j];
		sum += a.x * b.x * a.x * b.x + a.y * b.y * a.y * b.y + a.z * b.z * a.z * b.z + a.w * b.w * a.w * b.w;
	}
	sum = block_sum(sum);
	if (threadIdx.x == 0)
		y[blockIdx.x] = rms_of_squares(sum, c);
}
