#include <math.h>

/* Row `r` of n elements: x = a + b, y = x / sqrt(mean(x^2) + 1e-6) * gamma. */
void add_rms_norm(const double *a, const double *b, const double *gamma, double *y, double *x,
		  long n, long r)
{
	double squares = 0;

	for (long i = r * n; i < (r + 1) * n; i++) {
		x[i] = a[i] + b[i];
		squares += x[i] * x[i];
	}
	for (long i = 0; i < n; i++)
		y[r * n + i] = x[r * n + i] / sqrt(squares / n + 1e-6) * gamma[i];
}

/* Row `r` of n elements: out = a * silu(gate). */
void swiglu(const double *a, const double *gate, double *out, long n, long r)
{
	for (long i = r * n; i < (r + 1) * n; i++)
		out[i] = a[i] * gate[i] / (1 + exp(-gate[i]));
}

/* 1 where a key is not seen: row i of m sees the keys 0 to n - m + i. */
void causal_mask(double *out, long all, unsigned long seed, long m, long n)
{
	(void)seed;
	for (long i = 0; i < all; i++)
		out[i] = i % n > n - m + i / n;
}

/* Row `r` of m: softmax of the keys that it sees. */
void causal_softmax(const double *x, double *out, long m, long n, long r)
{
	const long seen = n - m + r + 1;
	double sum = 0;

	for (long i = 0; i < seen; i++)
		sum += exp(x[r * n + i]);
	for (long i = 0; i < n; i++)
		out[r * n + i] = i < seen ? exp(x[r * n + i]) / sum : 0;
}
