/* Five kernels whose counters are compared with those of another program: each leaves y = x (or 2 x),
 * by a way that loads one part of the GPU, so that a verification is cheap. Numbers that the compiler
 * must not know are arguments: `one` is 1, `zero` is 0. Each does the same for all inputs. */

/* DRAM: y = 2 x. */
extern "C" __global__ void copies(const float4 *x, float4 *y, long long n)
{
	const long long step = (long long)gridDim.x * blockDim.x;
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += step) {
		const float4 v = x[i];
		y[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
	}
}

/* The units of arithmetic: y = x, by STEPS steps v = v * 1 + 0 in four chains. */
extern "C" __global__ void chains(const float *x, float *y, float one, float zero, long long n)
{
	const long long i = 4 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);
	if (i + 3 >= n)
		return;
	float a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];
#pragma unroll 8
	for (int k = 0; k < STEPS; k++) {
		a = fmaf(a, one, zero);
		b = fmaf(b, one, zero);
		c = fmaf(c, one, zero);
		d = fmaf(d, one, zero);
	}
	y[i] = a, y[i + 1] = b, y[i + 2] = c, y[i + 3] = d;
}

/* Shared memory: each block passes its numbers on STEPS times, with a stride that makes threads want
 * the same banks; 2 STEPS is a multiple of the block's threads, so y = x. */
extern "C" __global__ void strides(const float *x, float *y, long long n)
{
	__shared__ float room[8 * 256];
	const int t = threadIdx.x, at = t * 8 % (8 * 256);
	const long long i = (long long)blockIdx.x * 256 + t;
	float v = i < n ? x[i] : 0;
	for (int k = 0; k < STEPS; k++) {
		room[at] = v;
		__syncthreads();
		v = room[(at + 8 * 128) % (8 * 256)];
		__syncthreads();
	}
	if (i < n)
		y[i] = v;
}

/* L2: y = x, after STEPS loads from places of a table of 8 MiB that follow from one another. */
extern "C" __global__ void walks(const float *x, float *y, float zero, long long n)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned at = (unsigned)i;
	float sum = 0;
	for (int k = 0; k < STEPS; k++) {
		const float v = x[at % (2u << 20)];
		at = at * 1664525u + 1013904223u + (unsigned)(zero * v);
		sum += v;
	}
	y[i] = x[i] + zero * sum;
}

/* Tensor units: y = x, by STEPS products with a matrix of zeros added to it (m16n8k16, bf16). */
extern "C" __global__ void products(const float *x, float *y, float zero, long long n)
{
	const long long i = 4 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);
	if (i + 3 >= n)
		return;
	float a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];
	const unsigned none = __float_as_uint(zero), some = 0x3f803f80u + threadIdx.x;
#pragma unroll 4
	for (int k = 0; k < STEPS; k++)
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
			     "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};"
			     : "+f"(a), "+f"(b), "+f"(c), "+f"(d)
			     : "r"(some), "r"(none));
	y[i] = a, y[i + 1] = b, y[i + 2] = c, y[i + 3] = d;
}
