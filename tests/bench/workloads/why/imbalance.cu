/* Rows of 1 + x + x^2 + ... of `terms` terms, a thread an element. A block has `rows` rows; its
 * shared memory, which the launch asks for, lets a multiprocessor hold one. The fault is in the grid:
 * an eighth more blocks than multiprocessors, most of which wait while the last blocks run. */
extern "C" __global__ void __launch_bounds__(1024) rows(const float *x, float *out, long long m,
						       long long terms, long long rows)
{
	const long long first = blockIdx.x * rows, end = min(first + rows, m);

	for (long long r = first; r < end; r++) {
		const float v = x[r * blockDim.x + threadIdx.x];
		float sum = 0;

#pragma unroll 8
		for (int i = 0; i < (int)terms; i++)
			sum = fmaf(sum, v, 1.0f);
		out[r * blockDim.x + threadIdx.x] = sum;
	}
}
