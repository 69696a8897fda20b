/* @NAME@: out = x + y; a block of THREADS threads takes THREADS * ITEMS elements.
 *
 * Change: what is computed, here and in reference.c. Each build-stage parameter of @NAME@.json is a
 * macro of its name here; the kernel's arguments are those of its "arguments", in order. */
extern "C" __global__ void __launch_bounds__(THREADS)
	kernel(const float *x, const float *y, float *out, long long n)
{
	const long long first = (long long)blockIdx.x * THREADS * ITEMS + threadIdx.x;

#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		const long long at = first + i * THREADS;

		if (at < n)
			out[at] = x[at] + y[at];
	}
}
