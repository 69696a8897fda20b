/* Writes nothing: wrong, also right after the good kernel ran on the same buffers. */
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	(void)x, (void)y, (void)n;
}
