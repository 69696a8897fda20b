/* COUNT recurrences x = x / 2 + c[k] of each thread, added up at the end. The fault, FAULT 1: bounds of
 * the launch that leave a thread 32 registers, too few for COUNT values. */
#define COUNT 48

extern "C" __global__ void __launch_bounds__(1024, FAULT ? 2 : 1)
	recur(const float *x, const float *c, float *out, long long terms)
{
	const int thread = blockIdx.x * 1024 + threadIdx.x, threads = gridDim.x * 1024;
	float v[COUNT], sum = 0;

#pragma unroll
	for (int i = 0; i < COUNT; i++)
		v[i] = x[i * (long long)threads + thread];
	for (int k = 0; k < (int)terms; k++) {
		const float add = c[k];

#pragma unroll
		for (int i = 0; i < COUNT; i++)
			v[i] = fmaf(v[i], 0.5f, add);
	}
#pragma unroll
	for (int i = 0; i < COUNT; i++)
		sum += v[i];
	out[thread] = sum;
}
