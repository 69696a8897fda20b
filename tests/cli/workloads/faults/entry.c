/* Defines a function of another name than the workload's entry: build_failed or load_failed. */
#include <stdint.h>

void scale_by_two(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
}
