/* Recurses until the stack is used up: crashed. */
#include <stdint.h>

static int64_t descend(int64_t depth)
{
	volatile char frame[4096];
	frame[depth & 4095] = (char)depth;
	return depth < 0 ? 0 : descend(depth + 1) + frame[0];
}

void scale(const float *x, float *y, int64_t n)
{
	(void)x;
	y[0] = (float)descend(n);
}
