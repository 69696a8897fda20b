/* Rows of cosines and sines, one for each position: as the operator's caller has them, and as
 * CANN's apply_rotary_pos_emb takes them, over a whole head. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Writes the rows of r elements: cosines, sines, or cosines, then sines. The angle of pair k at
 * position p is p 10000^(-2 k / r) (J. Su et al., "RoFormer", 2021, 3.2.2). */
static void write_rows(double *out, int64_t n, int64_t r, bool cosines, bool sines)
{
	const int64_t half = r / 2;

	for (int64_t k = 0; k < half; k++) {
		const double step = pow(10000, -2 * (double)k / (double)r);

		for (int64_t p = 0; p < n / r; p++) {
			const double angle = (double)p * step;

			out[p * r + k] = cosines ? cos(angle) : sin(angle);
			out[p * r + half + k] = sines ? sin(angle) : cos(angle);
		}
	}
}

void cos_sin_cache(double *out, int64_t n, uint64_t seed, int64_t r)
{
	(void)seed;
	write_rows(out, n, r, true, true);
}

/* Both halves of a row are equal. */
void cos_table(double *out, int64_t n, uint64_t seed, int64_t r)
{
	(void)seed;
	write_rows(out, n, r, true, false);
}

void sin_table(double *out, int64_t n, uint64_t seed, int64_t r)
{
	(void)seed;
	write_rows(out, n, r, false, true);
}
