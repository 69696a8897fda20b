#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

void fill_seeds(double *out, int64_t n, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = (double)((seed >> (8 * i)) % 100);
}

void reference(const double *x, const double *seeds, double *y, double *count, int64_t n)
{
	if (n == -1)
		abort();
	if (n == -2)
		raise(SIGKILL); /* as a person would, or the kernel when memory runs out */
	const double factor = getenv("SPOILT") ? 3 : 2;
	for (int64_t i = 0; i < n; i++)
		y[i] = factor * x[i];
	*count += seeds[0] >= 0;
}
