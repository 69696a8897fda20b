#include <stdint.h>

void noise(double *out, int64_t n, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = (double)((seed + (uint64_t)i * 2654435761u) % 1000) / 1000;
}
