#include <math.h>
#include <stdint.h>

void constants_reference(double *i, double *u, double *b, double *f, double *g, int64_t n)
{
	for (int64_t k = 0; k < n; k++) {
		i[k] = -1;
		u[k] = 255;
		b[k] = 1;
		f[k] = NAN;
		g[k] = 0;
	}
}
