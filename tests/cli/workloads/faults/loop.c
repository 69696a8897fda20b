/* Never returns: timeout. */
#include <stdbool.h>
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	(void)x, (void)y, (void)n;
	volatile bool forever = true;
	while (forever)
		;
}
