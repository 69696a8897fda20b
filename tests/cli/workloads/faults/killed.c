/* Kills its own process with SIGKILL, as the kernel does when memory runs out: crashed, with
 * SIGKILL as the reason. */
#include <signal.h>
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	(void)x, (void)y, (void)n;
	raise(SIGKILL);
}
