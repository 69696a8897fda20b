#include <stdint.h>

/* out = left - 2 right, of rows whose halves these are. */
#define HALVES(name, type)                                                                         \
	void name(const type *left, const type *right, type *out, int64_t m, int64_t n)            \
	{                                                                                          \
		for (int64_t i = 0; i < m; i++)                                                    \
			for (int64_t k = 0; k < n; k++)                                            \
				out[i * n + k] = left[i * 2 * n + k] - 2 * right[i * 2 * n + k];   \
	}

HALVES(halves_reference, double)
HALVES(halves, float)
