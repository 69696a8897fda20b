/* y = 2 x in a time that is known beforehand: COST turns of a loop that nothing shortens. Variants
 * and turns differ in nothing that takes time. */
#include <stdint.h>

const int variant = VARIANT;

void scale(const float *x, float *y, int64_t n, int64_t turn)
{
	for (int64_t i = 0; i < COST * INT64_C(60000); i++)
		__asm__ volatile("" : : "r"(turn));
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
}
