/* Fills with numbers N(0, 1) and what has to pass through an operator: NaN, infinities. */
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

/* Box and Muller's method: a radius and an angle make two numbers; of 2^-53 the radius is 8.6. */
static void make_normal(double *out, int64_t n, uint64_t *seed, double std)
{
	for (int64_t i = 0; i < n; i += 2) {
		const double radius =
			std * sqrt(-2 * log((double)((next(seed) >> 11) + 1) * 0x1p-53));
		const double angle = (double)(next(seed) >> 11) * 0x1p-53 * 6.283185307179586;
		out[i] = radius * cos(angle);
		if (i + 1 < n)
			out[i + 1] = radius * sin(angle);
	}
}

/* Of element-wise operators: in tensors of less than 2^17 elements one place of 16 has a special
 * number, zeros of both signs, too. */
void normal_with_specials(double *out, int64_t n, uint64_t seed)
{
	const double specials[] = {NAN, INFINITY, -INFINITY, 0, -0.0};
	const uint64_t kinds = sizeof specials / sizeof *specials;
	make_normal(out, n, &seed, 1);
	for (int64_t i = 0; i < n && n < 1 << 17; i++) {
		const uint64_t draw = next(&seed);
		if (draw % 16 == 0)
			out[i] = specials[draw / 16 % kinds];
	}
}

/* Of operators on rows of `row` numbers N(0, std), std > 0. Where `special` is not 0, of five rows
 * the first has one number alone, -infinity or, if it is positive, `special` itself; the next three
 * have a NaN, an infinity and a -infinity. */
void normal_rows(double *out, int64_t n, uint64_t seed, int64_t row, int64_t std, int64_t special)
{
	make_normal(out, n, &seed, (double)std);
	for (int64_t i = 0; special != 0 && i < n; i++) {
		const int64_t kind = i / row % 5;
		if (kind == 0)
			out[i] = special > 0 ? (double)special : -INFINITY;
		else if (kind < 4 && i % row == row / 2)
			out[i] = kind == 1 ? NAN : kind == 2 ? INFINITY : -INFINITY;
	}
}
