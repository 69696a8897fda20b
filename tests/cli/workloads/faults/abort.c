/* Ends itself by abort(): crashed, with SIGABRT as the reason. */
#include <stdint.h>
#include <stdlib.h>

void scale(const float *x, float *y, int64_t n)
{
	(void)x, (void)y, (void)n;
	abort();
}
