/* Inputs that InfiniOps makes on the host once, for the operators of CANN that it calls. */
#include <math.h>
#include <stdint.h>

/* 1 where a key is not seen: row i of Q sees the keys 0 to K - Q + i. */
void causal_mask(double *out, int64_t n, uint64_t seed, int64_t q, int64_t k)
{
	(void)seed;
	for (int64_t i = 0; i < n; i++)
		out[i] = i % k > k - q + i / k;
}

/* Angle of element `pair` of R / 2, as of a model whose base is 10000. */
static double angle(int64_t position, int64_t pair, int64_t r)
{
	return (double)position * pow(10000, -2 * (double)pair / (double)r);
}

/* Rows of cosines, then sines. */
void cos_sin_cache(double *out, int64_t n, uint64_t seed, int64_t r)
{
	(void)seed;
	for (int64_t i = 0; i < n; i++) {
		const double a = angle(i / r, i % r % (r / 2), r);

		out[i] = i % r < r / 2 ? cos(a) : sin(a);
	}
}

/* Rows with both halves equal. */
void cos_table(double *out, int64_t n, uint64_t seed, int64_t r)
{
	(void)seed;
	for (int64_t i = 0; i < n; i++)
		out[i] = cos(angle(i / r, i % r % (r / 2), r));
}

void sin_table(double *out, int64_t n, uint64_t seed, int64_t r)
{
	(void)seed;
	for (int64_t i = 0; i < n; i++)
		out[i] = sin(angle(i / r, i % r % (r / 2), r));
}
