/* Calls a function that nobody defines: build_failed or load_failed, whichever tool finds it first.
 */
#include <stdint.h>

int64_t no_such_function(int64_t n);

void scale(const float *x, float *y, int64_t n)
{
	(void)x;
	y[0] = (float)no_such_function(n);
}
