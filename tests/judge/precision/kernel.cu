/* Lower precision, on a GPU: bf16 inputs; the twin sums in f32. */
#include "../operators/block.cuh"

__device__ inline float number(unsigned short bf16) { return __uint_as_float((unsigned)bf16 << 16); }

__device__ inline float rounded(float f, int kept)
{
	return __uint_as_float((__float_as_uint(f) + (1u << (22 - kept))) & ~((1u << (23 - kept)) - 1));
}

__device__ inline float dot(const unsigned short *x, const unsigned short *w, int c, int kept)
{
	float sum = 0;

	for (int j = threadIdx.x; j < c; j += blockDim.x) {
		sum += number(x[j]) * number(w[j]);
		if (kept < 23)
			sum = rounded(sum, kept);
	}
	sum = block_sum(sum);
	return kept < 23 ? rounded(sum, kept) : sum;
}

extern "C" __global__ void honest_dot(const unsigned short *x, const unsigned short *w, float *y, int c)
{
	float sum = 0;

	for (int pass = 0; pass < PASSES; pass++) {
		sum = dot(x + (long long)blockIdx.x * c, w, c, 23);
		asm volatile("" : "+f"(sum) : : "memory");
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = sum;
}

/* Sums are kept in bf16. */
extern "C" __global__ void cheat_sums(const unsigned short *x, const unsigned short *w, float *y, int c)
{
	const float sum = dot(x + (long long)blockIdx.x * c, w, c, 7);

	if (threadIdx.x == 0)
		y[blockIdx.x] = sum;
}

/* Sums have the mantissa of f16. */
extern "C" __global__ void cheat_mantissa(const unsigned short *x, const unsigned short *w, float *y, int c)
{
	const float sum = dot(x + (long long)blockIdx.x * c, w, c, 10);

	if (threadIdx.x == 0)
		y[blockIdx.x] = sum;
}

extern "C" __global__ void twin_sums(const unsigned short *x, const unsigned short *w, float *y, int c)
{
	const float sum = dot(x + (long long)blockIdx.x * c, w, c, 23);

	if (threadIdx.x == 0)
		y[blockIdx.x] = sum;
}
