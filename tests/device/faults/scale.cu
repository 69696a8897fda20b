/* y = 2 x, right where AGAIN is 1; else what FAULT says. faults.t says what must come of each.
   No two kernels that are right compile to equal code: asctune would run it once only. */
extern "C" __global__ void scale(float *x, float *y, char *scratch, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

#if AGAIN
	if (i < n)
		y[i] = 2 * x[i];
	if (i < 8)
		scratch[i] = 1 + FAULT;
#else
#if FAULT != 12
	if (i < n)
		y[i] = 2 * x[i];
#endif
#if FAULT == 1 /* an address that is nobody's */
	if (i == 0)
		*(volatile float *)16 = 1;
#elif FAULT == 2 /* one that is not aligned */
	if (i == 0)
		*(volatile float *)((char *)y + 1) = 1;
#elif FAULT == 3 /* it never ends */
	while (((volatile float *)y)[0] == ((volatile float *)y)[0])
		;
#elif FAULT == 4
	if (i == 0)
		y[n] = 1;
#elif FAULT == 5
	if (i == 0)
		y[-1] = 1;
#elif FAULT == 6 /* an input */
	if (i == n - 1)
		x[i / 2] = 7;
#elif FAULT == 9
	if (i == 0)
		__trap();
#elif FAULT == 13
	if (i == n / 3)
		y[i] = __int_as_float(0x7fc00000);
#elif FAULT == 14
	if (i == 0)
		scratch[8] = 1;
#elif FAULT == 16 /* far behind */
	if (i == 0)
		y[n + 15000] = 1;
#elif FAULT == 17 /* far before */
	if (i == 0)
		y[-15000] = 1;
#elif FAULT == 15
#error "this kernel is not meant to compile"
#endif
#endif
}
