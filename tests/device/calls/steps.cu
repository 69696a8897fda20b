/* The steps of y = silu(2 x) 3 x: two products with a number, and what joins them. A join does what
 * FAULT says: 0 what is right, 1 writes behind a scratch tensor, 2 before it, 3 hangs, 4 traps. */
extern "C" __global__ void scale(const float *x, float *to, float factor, long long n)
{
	const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
	if (i < n)
		to[i] = factor * x[i];
}

extern "C" __global__ void join(float *gates, float *values, float *y, long long n)
{
	const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
#if FAULT == 1
	if (i == 0)
		values[n] = 1;
#elif FAULT == 2
	if (i == 0)
		values[-1] = 1;
#elif FAULT == 3
	while (*(volatile float *)gates != 12345.0F)
		;
#elif FAULT == 4
	if (i == 0)
		asm volatile("trap;");
#endif
	if (i < n)
		y[i] = gates[i] / (1 + expf(-gates[i])) * values[i];
}
