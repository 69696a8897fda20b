/* The kernel for processors and GPUs, by one thread. The first one is right; each other one has a
 * fault of its own. NVRTC has no stdint.h: a long is an int64_t of Linux. */
KERNEL void views(float *x, const float *first, float *y, int *signs, float *bias,
		  const long *before, long *after, long m, long n, long row)
{
	for (long i = 0; i < m; i++) {
		for (long j = 0; j < n; j++)
			y[i * (FAULT == 1 ? n : row) + j] =
				x[i * row + j] + first[i * row] + bias[i * row];
		signs[i * row] = x[i * row] < 0 ? -1 : 1;
	}
	/* Twice of what it finds: a second launch on what the first has left would be wrong. */
	for (long j = 0; j < n; j++)
		after[j] = 2 * before[j] + (FAULT != 2);
	if (FAULT == 3)
		y[2 * row + n] = 0; /* the gap behind a row */
	if (FAULT == 4)
		bias[row] = 0; /* an input among outputs */
	if (FAULT == 5)
		x[n] = 0; /* an input's gap, which is protected */
	if (FAULT == 6)
		y[-2] = 0; /* before the first element in the memory */
	if (FAULT == 7)
		bias[(m - 1) * row + 1] = 0; /* behind the last element of the memory */
}
