/* Counts each call of a grid of (2, 3, 4) in a cell of its own; counts[24] becomes 1 for a call
 * that is outside, or made by a thread that cannot be. */
#include <stdint.h>

void visit(int32_t *counts, int64_t x, int64_t y, int64_t z, int64_t thread, int64_t threads)
{
	if (x < 0 || x >= 2 || y < 0 || y >= 3 || z < 0 || z >= 4 || thread < 0 ||
	    thread >= threads)
		counts[24] = 1;
	else
		counts[x + 2 * (y + 3 * z)]++;
}
