// Kernels whose code differs much, for tests/bench/profile_code. No header is needed.
extern "C" {

// A loop of one load, one multiply-add and one store.
__global__ void scale(const float *x, float *y, float a, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = a * x[i] + y[i];
}

// More numbers than there are registers: 64 are allowed, 96 are kept.
__global__ void __launch_bounds__(1024) spill(const float *x, float *y, int n)
{
	float kept[96];

#pragma unroll
	for (int k = 0; k < 96; k++)
		kept[k] = x[k * 1024 + threadIdx.x];
	for (int i = 0; i < n; i++)
#pragma unroll
		for (int k = 0; k < 96; k++)
			kept[k] = kept[k] * kept[(k + 1) % 96] + x[i];
#pragma unroll
	for (int k = 0; k < 96; k++)
		y[k * 1024 + threadIdx.x] = kept[k];
}

// An array of each thread, by an index that only the data tell.
__global__ void local_array(const int *x, int *y, int n)
{
	int seen[32] = {0};

	for (int i = 0; i < n; i++)
		seen[x[i * blockDim.x + threadIdx.x] & 31]++;
	for (int i = 0; i < 32; i++)
		y[i * blockDim.x + threadIdx.x] = seen[i];
}

// A list: each load waits for the one before.
__global__ void walk(const int *next, int *y, int n)
{
	int at = threadIdx.x;

	for (int i = 0; i < n; i++)
		at = next[at];
	y[threadIdx.x] = at;
}

// Shared memory, a barrier in a loop, exchange within a warp, an atomic.
__global__ void sum(const float *x, float *y, int n)
{
	__shared__ float part[256];
	float mine = 0;

	for (int i = threadIdx.x; i < n; i += 256)
		mine += x[i];
	part[threadIdx.x] = mine;
	__syncthreads();
	for (int half = 128; half >= 32; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x < 32) {
		mine = part[threadIdx.x];
		for (int half = 16; half > 0; half /= 2)
			mine += __shfl_down_sync(0xffffffff, mine, half);
		if (threadIdx.x == 0)
			atomicAdd(y, mine);
	}
}

// Loops within loops, left early.
__global__ void nested(const int *x, int *y, int n)
{
	int found = 0;

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < x[i]; k++) {
			if (x[k] == 7)
				break;
			for (int j = k; j & 15; j++)
				found += x[j] ^ j;
		}
		if (found < 0)
			return;
	}
	y[threadIdx.x] = found;
}

// A table of jumps, functions of the library, numbers of 64 bits, divisions.
__global__ void mixed(const double *x, double *y, const long long *k, long long *m, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		double v = x[i];

		switch ((int)k[i]) {
		case 0: v = sin(v); break;
		case 1: v = exp(v) / (v + 1); break;
		case 2: v = sqrt(v) * 3; break;
		case 3: v = log(v); break;
		case 4: v = pow(v, 1.5); break;
		case 5: v = floor(v) + 0.5; break;
		case 6: v = -v; break;
		default: v = v * v + 1;
		}
		y[i] = v;
		m[i] = k[i] / (m[i] | 1) + __popcll(k[i]) + __clz(i) + (int)__expf((float)v);
	}
}

__noinline__ __device__ int collatz(int n)
{
	int steps = 0;

	while (n != 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

// A function that is called.
__global__ void calls(int *y)
{
	y[threadIdx.x] = collatz(threadIdx.x + 1) + collatz(threadIdx.x + 7);
}

#if __CUDA_ARCH__ >= 800
// Products of the tensor units on numbers of 16 bits, fed by asynchronous copies.
__global__ void tensor(const void *a, float *c, int n)
{
	__shared__ __align__(16) char tile[2048];
	unsigned at = (unsigned)__cvta_generic_to_shared(tile) + 16 * threadIdx.x;
	unsigned r[4];
	float d[4] = {0, 0, 0, 0};

	for (int i = 0; i < n; i++) {
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;" ::"r"(at),
			     "l"((const char *)a + 2048 * i + 16 * threadIdx.x));
		__syncthreads();
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
			     : "r"(at));
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%4, %5}, {%0, %1, %2, %3};"
			     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
			     : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]));
		__syncthreads();
	}
	for (int i = 0; i < 4; i++)
		c[4 * threadIdx.x + i] = d[i];
}
#endif
}
