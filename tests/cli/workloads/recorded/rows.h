/* Doubles rows of x, but for masked ones, and counts them in z, by one thread. VARIANT 0 is the
 * program's. NVRTC has no stdint.h: a long is an int64_t of Linux. */
KERNEL void rows(const float *x, const int *mask, float *y, float *z, long r, long n)
{
	for (long row = 0; row < r; row++) {
		if (mask[row] && VARIANT != 1)
			continue;
		for (long k = row * n; k < (row + 1) * n; k++)
			y[k] = VARIANT == 2 ? 2.125F * x[k] : 2 * x[k];
		if (!mask[row])
			z[row] += 1;
	}
}
