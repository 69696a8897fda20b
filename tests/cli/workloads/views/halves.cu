/* out = left - 2 right, of rows whose halves these are; one block for each row. */
extern "C" __global__ void halves(const float *left, const float *right, float *out, long long m, long long n)
{
	const long long row = blockIdx.x;

	for (long long k = threadIdx.x; row < m && k < n; k += blockDim.x)
		out[row * n + k] = left[row * 2 * n + k] - 2 * right[row * 2 * n + k];
}
