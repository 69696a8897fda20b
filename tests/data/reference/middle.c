/* y = 2 x but for the element in the middle, which a sample of three calls has, and its neighbour,
 * which it has not. */
#include <stdint.h>

void scale(const double *x, double *y, int64_t block_x)
{
	y[block_x] = 2 * x[block_x] + (block_x == 500 || block_x == 501 ? 1e-3 : 0);
}
