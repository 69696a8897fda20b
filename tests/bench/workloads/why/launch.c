/* out = x + steps. The fault, FAULT 1, is in the grid: calls of few elements. */
#include <stdint.h>

void add(const float *x, float *out, int64_t n, int64_t steps, int64_t block)
{
	for (int64_t i = block * n; i < (block + 1) * n; i++)
		out[i] = x[i] + (float)steps;
}
