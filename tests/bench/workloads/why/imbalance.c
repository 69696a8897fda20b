/* Rows of 1 + x + x^2 + ... of terms(r) terms. The fault is in the grid: as many calls as threads,
 * of which the last has the rows with the most terms. */
#include <stdint.h>

enum { WIDTH = 128 };

/* n is a multiple of WIDTH; row r has `terms` terms, or, `ramp`, from none up to three times as
 * many, with the square of r. */
void rows(const float *x, float *out, int64_t m, int64_t n, int64_t terms, int64_t ramp,
	  int64_t rows_each, int64_t block)
{
	const int64_t end = (block + 1) * rows_each < m ? (block + 1) * rows_each : m;

	for (int64_t r = block * rows_each; r < end; r++) {
		const int64_t own = ramp ? 3 * terms * (r + 1) * (r + 1) / (m * m) : terms;

		for (int64_t i = 0; i < n; i += WIDTH) {
			const float *v = x + r * n + i;
			float sum[WIDTH] = {0};

			for (int64_t t = 0; t < own; t++)
				for (int k = 0; k < WIDTH; k++)
					sum[k] = sum[k] * v[k] + 1;
			for (int k = 0; k < WIDTH; k++)
				out[r * n + i + k] = sum[k];
		}
	}
}
