/* out = x * x + x through a tile in shared memory; a block has a piece of 32 times its threads. The
 * fault, FAULT 1: the launch asks for far more shared memory than the tile takes, so that few blocks
 * fit a multiprocessor at a time. */
extern "C" __global__ void squares(const float *x, float *out)
{
	extern __shared__ float tile[];
	const long long from = (long long)blockIdx.x * blockDim.x * 32 + threadIdx.x;

#pragma unroll 1
	for (int i = 0; i < 32; i++) {
		tile[threadIdx.x] = x[from + i * blockDim.x];
		out[from + i * blockDim.x] = tile[threadIdx.x] * tile[threadIdx.x] + tile[threadIdx.x];
	}
}
