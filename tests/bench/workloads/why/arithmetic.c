/* 1 + x + x^2 + ... of K terms. The fault, FAULT 1: term by term; without it the sum is
 * (1 - x^K) / (1 - x). */
#include <stdint.h>

#define VECTORS 8 /* that do not wait for each other */

typedef float vector __attribute__((vector_size(BYTES), aligned(4)));

enum { LANES = BYTES / 4 };

static vector sum_closed(vector x, int64_t terms)
{
	vector power = x * 0 + 1, factor = x;

	for (; terms; terms /= 2, factor *= factor)
		power = terms % 2 ? power * factor : power;
	return (1 - power) / (1 - x);
}

/* n is a multiple of VECTORS * LANES. */
void series(const float *x, float *out, int64_t n, int64_t terms, int64_t block)
{
	for (int64_t i = block * n; i < (block + 1) * n; i += VECTORS * LANES) {
		vector v[VECTORS], sum[VECTORS];

		for (int k = 0; k < VECTORS; k++) {
			v[k] = *(const vector *)(x + i + k * LANES);
			sum[k] = FAULT ? v[k] * 0 : sum_closed(v[k], terms);
		}
		for (int64_t t = 0; FAULT && t < terms; t++)
			for (int k = 0; k < VECTORS; k++)
				sum[k] = sum[k] * v[k] + 1;
		for (int k = 0; k < VECTORS; k++)
			*(vector *)(out + i + k * LANES) = sum[k];
	}
}
