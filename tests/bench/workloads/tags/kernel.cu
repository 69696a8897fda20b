/* y = 2 x. TAG makes ten kernels of it that take the same time. */
extern "C" __global__ void scale(const float4 *x, float4 *y, long long n)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (n == -1 - TAG) /* never: only the code differs */
		y[0] = make_float4(TAG, TAG, TAG, TAG);
	if (i < n / 4) {
		const float4 v = x[i];
		y[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
	}
}
