/* Sums over a block, and the root mean square of each row of x[r, c], a block a row: `honest` computes all of it PASSES times. */
#define PASSES 12
#define ROWS 4096 /* most rows whose answers a kernel keeps */

typedef unsigned long long address;

/* Sum over the block, in every thread. */
__device__ inline float block_sum(float value)
{
	__shared__ float warps[32];
	__shared__ float whole;

	for (int step = 16; step > 0; step /= 2)
		value += __shfl_xor_sync(0xffffffffu, value, step);
	if (threadIdx.x % 32 == 0)
		warps[threadIdx.x / 32] = value;
	__syncthreads();
	if (threadIdx.x == 0) {
		whole = 0;
		for (int warp = 0; warp < (int)blockDim.x / 32; warp++)
			whole += warps[warp];
	}
	__syncthreads();
	return whole;
}

__device__ inline float block_max(float value)
{
	__shared__ float warps[32];
	__shared__ float whole;

	for (int step = 16; step > 0; step /= 2)
		value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
	if (threadIdx.x % 32 == 0)
		warps[threadIdx.x / 32] = value;
	__syncthreads();
	if (threadIdx.x == 0) {
		whole = warps[0];
		for (int warp = 1; warp < (int)blockDim.x / 32; warp++)
			whole = fmaxf(whole, warps[warp]);
	}
	__syncthreads();
	return whole;
}

__device__ inline float thread_squares(const float *x, int n)
{
	float sum = 0;

	for (int j = threadIdx.x; j < n; j += blockDim.x)
		sum += x[j] * x[j];
	return sum;
}

__device__ inline float rms_of_squares(float sum, int n) { return sqrtf(sum / n + 1e-6f); }

__device__ inline float rms_row(const float *x, int c)
{
	return rms_of_squares(block_sum(thread_squares(x, c)), c);
}

__device__ inline float rms_row_slow(const float *x, int c)
{
	float answer = 0;

	for (int pass = 0; pass < PASSES; pass++) {
		answer = rms_row(x, c);
		asm volatile("" : "+f"(answer) : : "memory");
	}
	return answer;
}

/* Writes the row's answer: the one kept under `key`, else computed slowly and kept. */
__device__ inline void rms_keep(address *keys, float *kept, address key, const float *x, float *y, int c)
{
	const int row = blockIdx.x;

	if (keys[row] == key) {
		if (threadIdx.x == 0)
			y[row] = kept[row];
		return;
	}
	const float answer = rms_row_slow(x + (long long)row * c, c);
	if (threadIdx.x == 0) {
		y[row] = kept[row] = answer;
		keys[row] = key;
	}
}

extern "C" __global__ void honest(const float *x, float *y, int c)
{
	const float answer = rms_row_slow(x + (long long)blockIdx.x * c, c);

	if (threadIdx.x == 0)
		y[blockIdx.x] = answer;
}
