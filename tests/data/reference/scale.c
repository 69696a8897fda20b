/* y = 2 x, an element a call. */
#include <stdint.h>

void scale(const double *x, double *y, int64_t block_x)
{
	y[block_x] = 2 * x[block_x];
}
