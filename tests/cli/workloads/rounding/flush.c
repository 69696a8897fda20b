/* Right, and leaves the processor taking subnormals for zeros, where it can. */
#include <stdint.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

void third(const float *x, float *y, int64_t n)
{
#if defined(__x86_64__)
	_mm_setcsr(_mm_getcsr() & ~0x8040U);
#endif
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] / 3.0F;
#if defined(__x86_64__)
	_mm_setcsr(_mm_getcsr() | 0x8040U);
#endif
}
