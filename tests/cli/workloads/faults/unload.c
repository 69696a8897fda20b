/* The right result, but it never ends when it is unloaded: ok, and the configuration after it is
 * not blamed for that. */
#include <stdint.h>
#include <unistd.h>

__attribute__((destructor)) static void stay(void)
{
	for (;;)
		pause();
}

void scale(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
}
