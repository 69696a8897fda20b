/* Returns the right result, but only after 100 s: timeout, long before that. */
#include <stdint.h>
#include <unistd.h>

void scale(const float *x, float *y, int64_t n)
{
	sleep(100);
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
}
