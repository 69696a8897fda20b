/* Each of four threads is left rounding up, on x86 without subnormals too. */
#include <fenv.h>
#include <stdatomic.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

void leave(float *out, int64_t thread)
{
	static atomic_int arrived;

	atomic_fetch_add(&arrived, 1);
	while (atomic_load(&arrived) < 4)
		;
	out[thread] = 0;
	fesetround(FE_UPWARD);
#if defined(__x86_64__)
	_mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}
