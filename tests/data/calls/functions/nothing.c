/* What is left as it was: a kernel of six arguments, and the reference. */
#include <stdbool.h>
#include <stdint.h>

void nothing(float *y, int64_t n, float scale, double eps, bool mode, int64_t stream)
{
	(void)y, (void)n, (void)scale, (void)eps, (void)mode, (void)stream;
}

void same(double *y)
{
	(void)y;
}
