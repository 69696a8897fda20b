/* Right, by a mode of its own; leaves another one behind. */
#include <fenv.h>
#include <stdint.h>

void third(const float *x, float *y, int64_t n)
{
	fesetround(FE_TONEAREST);
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] / 3.0F;
	fesetround(FE_UPWARD);
}
