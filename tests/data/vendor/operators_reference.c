#include <math.h>
#include <stdint.h>

/* sum = x1 + x2; y = its rows by their root mean square, times weight. */
void add_rms_norm(const double *x1, const double *x2, const double *weight, double *y, double *sum,
		  int64_t m, int64_t n)
{
	for (int64_t i = 0; i < m; i++) {
		double squares = 0;

		for (int64_t k = 0; k < n; k++) {
			const double v = x1[i * n + k] + x2[i * n + k];

			sum[i * n + k] = v;
			squares += v * v;
		}
		for (int64_t k = 0; k < n; k++)
			y[i * n + k] =
				sum[i * n + k] / sqrt(squares / (double)n + 1e-6) * weight[k];
	}
}

/* out = input silu(gate) */
void swiglu(const double *input, const double *gate, double *out, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = input[i] * gate[i] / (1 + exp(-gate[i]));
}

void cast(const double *x, double *out, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		out[i] = x[i];
}
