/* Divides an integer by zero where that traps, else raises the signal itself: crashed, with SIGFPE
 * as the reason. */
#include <signal.h>
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	(void)x;
	volatile int64_t zero = n - n;
#if defined(__x86_64__) || defined(__i386__)
	y[0] = (float)(n / zero);
#else
	(void)zero;
	raise(SIGFPE);
#endif
}
