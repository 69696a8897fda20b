/* Sums of the first elements of rows, a block a row. The fault, FAULT 1: whole rows are read, and what
 * lies behind a row's length is multiplied by zero. n is a multiple of 4. */
extern "C" __global__ void row_sums(const float4 *x, const int *lengths, float *out, long long n)
{
	__shared__ float warps[32];
	const int length = lengths[blockIdx.x], end = FAULT ? n : length;
	float sum = 0;

	x += blockIdx.x * (n / 4);
#pragma unroll 4
	for (int i = 4 * threadIdx.x; i < end; i += 4 * blockDim.x) {
		const float4 v = x[i / 4];

		sum += v.x * (i < length) + v.y * (i + 1 < length) + v.z * (i + 2 < length) +
		       v.w * (i + 3 < length);
	}
	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(~0u, sum, step);
	if (threadIdx.x % 32 == 0)
		warps[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int i = 1; i < blockDim.x / 32; i++)
			sum += warps[i];
		out[blockIdx.x] = sum;
	}
}
