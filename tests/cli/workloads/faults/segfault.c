/* Writes through a null pointer: crashed, with SIGSEGV as the reason. */
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	(void)x, (void)y, (void)n;
	volatile uintptr_t nowhere = 0;
	*(volatile float *)nowhere = 1;
}
