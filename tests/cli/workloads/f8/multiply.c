#include "../../../../workloads/cpu/element.h"

/* FAULT 1 rounds to zero, 2 leaves one element out, 3 writes NaN. */
void multiply(const element *x, const element *w, float *wide, element *y, int64_t m, int64_t n)
{
	for (int64_t i = 0; i < m * n; i++) {
		const float product = element_load(x + i) * element_load(w + i % n);
		float rounded;

		wide[i] = product;
		if (FAULT == 2 && i == 37)
			continue;
		element_store(y + i, product);
		rounded = element_load(y + i);
		if (FAULT == 1 && rounded * rounded > product * product)
			y[i]--;
		if (FAULT == 3)
			y[i] = 0xff;
	}
}
