/* Does not compile: build_failed, with the compiler's first error as the reason. */
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	(void)x, (void)y, (void)n;
#error "this kernel is not meant to compile"
}
