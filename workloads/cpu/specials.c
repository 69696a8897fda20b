/* Fill of element-wise operators: numbers N(0, 1), and in tensors of less than 2^17 elements, in
 * one place of 16, what has to pass through: NaN, infinities, zeros of both signs. */
#include <math.h>
#include <stdint.h>

/* The splitmix64 generator: G. Steele et al., "Fast Splittable Pseudorandom Number Generators",
 * OOPSLA 2014. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void normal_with_specials(double *out, int64_t n, uint64_t seed)
{
	const double specials[] = {NAN, INFINITY, -INFINITY, 0, -0.0};
	const uint64_t kinds = sizeof specials / sizeof *specials;
	for (int64_t i = 0; i < n; i += 2) {
		/* Box and Muller's method: a radius and an angle make two numbers; of 2^-53 the
		 * radius is 8.6. */
		const double radius = sqrt(-2 * log((double)((next(&seed) >> 11) + 1) * 0x1p-53));
		const double angle = (double)(next(&seed) >> 11) * 0x1p-53 * 6.283185307179586;
		out[i] = radius * cos(angle);
		if (i + 1 < n)
			out[i + 1] = radius * sin(angle);
	}
	for (int64_t i = 0; i < n && n < 1 << 17; i++) {
		const uint64_t draw = next(&seed);
		if (draw % 16 == 0)
			out[i] = specials[draw / 16 % kinds];
	}
}
