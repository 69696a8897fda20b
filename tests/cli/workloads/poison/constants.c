/* Writes all outputs but the one of that number; LEFT 6: writes 0 for NaN. */
#include <math.h>
#include <stdint.h>

void constants(int32_t *i, uint8_t *u, uint8_t *b, float *f, int32_t *g, int64_t n)
{
	for (int64_t k = 0; k < n; k++) {
		if (LEFT != 1)
			i[k] = -1;
		if (LEFT != 2)
			u[k] = 255;
		if (LEFT != 3)
			b[k] = 1;
		if (LEFT != 4)
			f[k] = LEFT == 6 ? 0 : NAN;
		if (LEFT != 5)
			g[k] = 0;
	}
}
