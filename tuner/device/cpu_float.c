#include "tuner/device/cpu_float.h"

#if defined(__x86_64__)
#include <stdint.h>
#include <xmmintrin.h>

/* The values that the System V ABI for AMD64 (3.2.3) gives both registers at a program's start:
 * round to nearest, every exception masked, subnormals kept, x87 with 64 bits. */
enum { MXCSR_START = 0x1F80, MXCSR_FLAGS = 0x3F, X87_START = 0x37F };

void cpu_float_reset(void)
{
	uint16_t control;

	if ((_mm_getcsr() & ~(unsigned)MXCSR_FLAGS) != MXCSR_START)
		_mm_setcsr(MXCSR_START);
	__asm__ volatile("fnstcw %0" : "=m"(control));
	if (control != X87_START)
		__asm__ volatile("fninit");
}
#else
#include <fenv.h>

void cpu_float_reset(void)
{
	(void)fesetenv(FE_DFL_ENV);
}
#endif
