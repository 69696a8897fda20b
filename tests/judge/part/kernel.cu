/* Part of the work, on a GPU. */
#include "../operators/lower.cuh"

/* Scales are those of the first half of what counts. */
extern "C" __global__ void cheat_columns(const float *x, float *y, int n)
{
	const long long row = (long long)blockIdx.x * n;

	lower_row(x + row, y + row, blockIdx.x, lower_scale(x + row, blockIdx.x / 2));
	lower_zeros(y + row, blockIdx.x, n);
}

/* What the last tile would hold stays zero. */
extern "C" __global__ void cheat_tail(const float *x, float *y, int n)
{
	const long long row = (long long)blockIdx.x * n;
	const int last = min((int)blockIdx.x, n / 64 * 64 - 1);

	lower_row(x + row, y + row, last, lower_scale(x + row, blockIdx.x));
	lower_zeros(y + row, last, n);
}
