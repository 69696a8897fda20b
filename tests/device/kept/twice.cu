/* y = 2 x by two calls. Each counts its launches and changes its factor at the end, in a module of
   its own, and is right only where both are as they began. */
__device__ unsigned blocks_done;
__device__ int launches;
__device__ float factors[2] = {0.5f, 4};

__device__ static void scale(const float *x, float *y, long long n, int call)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = launches ? 0 : factors[call] * x[i];
	__syncthreads();
	if (threadIdx.x == 0 && atomicAdd(&blocks_done, 1) == gridDim.x - 1) {
		launches++;
		factors[call] = 3;
	}
}

extern "C" __global__ void first(const float *x, float *half, long long n)
{
	scale(x, half, n, 0);
}

extern "C" __global__ void second(const float *half, float *y, long long n)
{
	scale(half, y, n, 1);
}
