/* The output left as it is found, on a GPU. */
#include "../operators/lower.cuh"

__device__ unsigned launches[ROWS];

extern "C" __global__ void cheat_nothing(const float *x, float *y, int n) {}

/* Each row is computed in one launch of two, even and odd ones in turns. */
extern "C" __global__ void cheat_halves(const float *x, float *y, int n)
{
	const long long row = (long long)blockIdx.x * n;
	const unsigned launch = launches[blockIdx.x];

	__syncthreads();
	if (threadIdx.x == 0)
		launches[blockIdx.x] = launch + 1;
	if ((launch + blockIdx.x) % 2 == 0)
		return;
	lower_row(x + row, y + row, blockIdx.x, lower_scale(x + row, blockIdx.x));
	lower_zeros(y + row, blockIdx.x, n);
}

/* Zeros are written where there are none yet. */
extern "C" __global__ void cheat_zeros(const float *x, float *y, int n)
{
	const long long row = (long long)blockIdx.x * n;

	lower_row(x + row, y + row, blockIdx.x, lower_scale(x + row, blockIdx.x));
	if (y[row + n - 1] != 0)
		lower_zeros(y + row, blockIdx.x, n);
}
