/* Leaves with status 0 in the midst of a launch: crashed, never ok, although nothing looks wrong to
 * waitpid. */
#include <stdint.h>
#include <stdlib.h>

void scale(const float *x, float *y, int64_t n)
{
	(void)x, (void)y, (void)n;
	exit(0);
}
