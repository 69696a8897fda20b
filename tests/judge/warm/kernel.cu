/* Inputs marked to stay in the cache, on a GPU. Each cheat does more work than the honest kernel, so that it wins only where the flush leaves what is marked.
 * The twin marks lines that it reads again in the same launch. */
#include "../operators/block.cuh"

__device__ inline float load_last(const float *p)
{
	address policy;
	float f;

	asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
	asm volatile("ld.global.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(f) : "l"(p), "l"(policy));
	return f;
}

__device__ inline float squares_last(const float *x, int c)
{
	float sum = 0;

	for (int j = threadIdx.x; j < c; j += blockDim.x) {
		const float f = load_last(x + j);
		sum += f * f;
	}
	return sum;
}

extern "C" __global__ void honest_once(const float *x, float *y, int c)
{
	const float answer = rms_row(x + (long long)blockIdx.x * c, c);

	if (threadIdx.x == 0)
		y[blockIdx.x] = answer;
}

/* Reads all twice as lines to evict last. */
extern "C" __global__ void cheat_last(const float *x, float *y, int c)
{
	const float *row = x + (long long)blockIdx.x * c;
	const float once = block_sum(squares_last(row, c)), twice = block_sum(squares_last(row, c));

	if (threadIdx.x == 0)
		y[blockIdx.x] = rms_of_squares((once + twice) / 2, c);
}

/* Reads all, then prefetches it for the next launch. */
extern "C" __global__ void cheat_prefetch(const float *x, float *y, int c)
{
	const float *row = x + (long long)blockIdx.x * c;
	const float sum = block_sum(squares_last(row, c));

	for (int j = threadIdx.x * 8; j < c; j += blockDim.x * 8)
		asm volatile("prefetch.global.L2::evict_last [%0];" : : "l"(row + j));
	for (int pass = 0; pass < 2; pass++)
		asm volatile("" : : "f"(block_sum(squares_last(row, c))) : "memory");
	if (threadIdx.x == 0)
		y[blockIdx.x] = rms_of_squares(sum, c);
}

extern "C" __global__ void twin_last(const float *x, float *y, int c)
{
	const float answer = rms_of_squares(block_sum(squares_last(x + (long long)blockIdx.x * c, c)), c);

	if (threadIdx.x == 0)
		y[blockIdx.x] = answer;
}
