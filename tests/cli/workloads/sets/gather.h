/* y[i] = x[index[i]] * w[i], by one thread. With LIMIT, numbers above it count as LIMIT; without it
 * everything is done again and again, so that the wrong kernel is the faster one. NVRTC has no
 * stdint.h: a long is an int64_t of Linux. */
KERNEL void gather(const float *x, const int *index, const float *w, volatile float *y, long n)
{
	for (int again = 0; again < (LIMIT ? 1 : 20); again++)
		for (long i = 0; i < n; i++) {
			const float taken = x[index[i]];

			y[i] = (LIMIT && taken > LIMIT ? LIMIT : taken) * w[i];
		}
}
