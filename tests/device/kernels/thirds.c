/* What each of four threads makes of 5 / 3 and of the half of the least normal number. */
#include <float.h>
#include <stdatomic.h>
#include <stdint.h>

void thirds(float *out, int64_t thread)
{
	static atomic_int arrived;
	volatile float five = 5, three = 3, least = FLT_MIN, half = 0.5F;

	atomic_fetch_add(&arrived, 1);
	while (atomic_load(&arrived) < 4)
		;
	out[2 * thread] = five / three;
	out[2 * thread + 1] = least * half;
}
