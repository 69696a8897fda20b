/* What kernels share that work on rows of a matrix, each row by LANES threads of a block of
 * THREADS: elements of the problem's type T, VECTOR of them at a time, and sums over a row's
 * threads. */
#ifndef ASCTUNE_CUDA_ROWS_H
#define ASCTUNE_CUDA_ROWS_H

typedef CTYPE_T element;

constexpr int kRows = THREADS / LANES; /* of a block */

static_assert(THREADS % LANES == 0 && (LANES & (LANES - 1)) == 0, "LANES is a power of two");
static_assert(VECTOR * sizeof(element) <= 16, "an access has at most 16 bytes");

struct alignas(VECTOR * sizeof(element)) Pack {
	element at[VECTOR];
};

__device__ float to_float(element x)
{
#if DTYPE_T == DTYPE_bf16
	return __uint_as_float((unsigned)x << 16);
#elif DTYPE_T == DTYPE_f16
	float y;
	asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
	return y;
#else
	return x;
#endif
}

__device__ element to_element(float x)
{
#if DTYPE_T == DTYPE_f32
	return x;
#else
	element y;
#if DTYPE_T == DTYPE_bf16
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
#else
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
#endif
	return y;
#endif
}

__device__ Pack pack_load(const element *from)
{
	return *(const Pack *)from;
}

__device__ void pack_store(element *to, const Pack &p)
{
	*(Pack *)to = p;
}

struct Sum {
	__device__ float operator()(float a, float b) const
	{
		return a + b;
	}
};

struct Largest {
	__device__ float operator()(float a, float b) const
	{
		return fmaxf(a, b);
	}
};

/* The values of a row's threads combined, for all of them. All threads of the block call it. */
template <class Combine> __device__ float row_combine(float x, Combine combine)
{
	constexpr int width = LANES < 32 ? LANES : 32;

#pragma unroll
	for (int i = width / 2; i > 0; i /= 2)
		x = combine(x, __shfl_xor_sync(~0U, x, i));
	if (LANES <= 32)
		return x;
	__shared__ float parts[THREADS / 32];
	const int first = threadIdx.x / LANES * (LANES / 32);
	__syncthreads(); /* the last values have been read */
	if (threadIdx.x % 32 == 0)
		parts[threadIdx.x / 32] = x;
	__syncthreads();
	x = parts[first];
#pragma unroll
	for (int i = 1; i < LANES / 32; i++)
		x = combine(x, parts[first + i]);
	return x;
}

#endif
