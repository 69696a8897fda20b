#include <stdint.h>

void gather_rows(const double *x, const double *bias, const double *gain, const double *table,
		 const double *noise, double *total, double *picked, double *drawn, int64_t rows,
		 int64_t cols, double *scratch)
{
	for (int64_t c = 0; c < cols; c++) {
		scratch[c] = bias ? bias[c] : 0;
		for (int64_t r = 0; r < rows; r++)
			scratch[c] += *gain * x[(int64_t)table[r] * cols + c];
		total[c] += scratch[c];
	}
	for (int64_t r = 0; r < rows; r++) {
		picked[r] = table[r];
		drawn[r] = noise[r];
	}
}
