/* out = x + steps. The fault is to add 1 in each of many kernels. */
extern "C" __global__ void add(const float *x, float *out, long long steps)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = x[i] + (float)steps;
}
