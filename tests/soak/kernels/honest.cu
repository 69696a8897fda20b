/* y = 2 x in a time that is known beforehand: COST times 30000 cycles. Variants and turns differ in nothing that takes time. */
extern "C" __constant__ int variant = VARIANT;

extern "C" __global__ void scale(const float *x, float *y, long long n, long long turn)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, start = clock64();

	while (clock64() - start < COST * 30000)
		;
	if (i < n)
		y[i] = 2 * x[i];
}
