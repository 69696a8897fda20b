/* C = A * transposed B, by tiles of 32 x 32 in shared memory and 32 x 8 threads. The fault, FAULT 1:
 * the threads of a warp read one column of a tile whose rows are 32 banks long, all in one bank; one
 * more element a row puts each into a bank of its own. */
extern "C" __global__ void product(const float *a, const float *b, float *c, long long n,
				   long long k)
{
	__shared__ float as[32][32], bs[32][FAULT ? 32 : 33];
	const int x = threadIdx.x, y = threadIdx.y;
	float sums[4] = {};

	a += blockIdx.y * 32 * k;
	b += blockIdx.x * 32 * k;
	for (int from = 0; from < k; from += 32) {
		for (int i = 0; i < 4; i++) {
			as[y + 8 * i][x] = a[(y + 8 * i) * k + from + x];
			bs[y + 8 * i][x] = b[(y + 8 * i) * k + from + x];
		}
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 32; i++)
			for (int r = 0; r < 4; r++)
				sums[r] += as[y + 8 * r][i] * bs[x][i];
		__syncthreads();
	}
	for (int r = 0; r < 4; r++)
		c[(blockIdx.y * 32 + y + 8 * r) * n + blockIdx.x * 32 + x] = sums[r];
}
