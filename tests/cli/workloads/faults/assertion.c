/* Fails an assertion: crashed, and the reason ends with the assertion's own message. */
#include <assert.h>
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	assert(n == 1 && "one element at a time");
	*y = 2 * *x;
}
