/* Right answers of the workloads in this folder, in doubles, and the lists of "latency". */
#include <math.h>
#include <stdint.h>

void row_sums(const double *x, const double *lengths, double *out, int64_t n, int64_t r)
{
	out[r] = 0;
	for (int64_t i = 0; i < (int64_t)lengths[r]; i++)
		out[r] += x[r * n + i];
}

void window_sums(const double *x, double *out, int64_t c, int64_t w, int64_t r)
{
	for (int64_t k = 0; k < c; k++) {
		out[r * c + k] = 0;
		for (int64_t i = 0; i < w; i++)
			out[r * c + k] += x[(r + i) * c + k];
	}
}

void product(const double *a, const double *b, double *c, int64_t n, int64_t k, int64_t r)
{
	for (int64_t i = 0; i < n; i++) {
		double sum = 0;

		for (int64_t j = 0; j < k; j++)
			sum += a[r * k + j] * b[i * k + j];
		c[r * n + i] = sum;
	}
}

/* `times` the product of a row of A and transposed B. */
void products(const double *a, const double *b, double *out, int64_t times, int64_t r)
{
	for (int64_t i = 0; i < 128; i++) {
		double sum = 0;

		for (int64_t j = 0; j < 64; j++)
			sum += a[r * 64 + j] * b[i * 64 + j];
		out[r * 128 + i] = (double)times * sum;
	}
}

void series(const double *x, double *out, int64_t n, int64_t terms, int64_t block)
{
	for (int64_t i = block * n; i < (block + 1) * n; i++)
		out[i] = (1 - pow(x[i], (double)terms)) / (1 - x[i]);
}

void series_of_rows(const double *x, double *out, int64_t m, int64_t n, int64_t terms, int64_t ramp,
		    int64_t r)
{
	series(x, out, n, ramp ? 3 * terms * (r + 1) * (r + 1) / (m * m) : terms, r);
}

void squares(const double *x, double *out, int64_t n, int64_t r)
{
	out[r] = 0;
	for (int64_t i = 0; i < n; i++)
		out[r] += x[r * n + i] * x[r * n + i];
}

/* out = a * x * x + b * x + c */
void polynomial(const double *x, double *out, int64_t n, int64_t a, int64_t b, int64_t c,
		int64_t block)
{
	for (int64_t i = block * n; i < (block + 1) * n; i++)
		out[i] = (double)a * x[i] * x[i] + (double)b * x[i] + (double)c;
}

void recur(const double *x, const double *c, double *out, int64_t threads, int64_t terms,
	   int64_t thread)
{
	out[thread] = 0;
	for (int64_t i = 0; i < 48; i++) {
		double v = x[i * threads + thread];

		for (int64_t k = 0; k < terms; k++)
			v = v / 2 + c[k];
		out[thread] += v;
	}
}

/* ---- lists ---- */

enum { WORDS = 8, STEPS = 256 };

/* From a node to the next one of its list, modulo the number of nodes, a power of two: odd, so that
 * all are reached, and far. */
static const int64_t STRIDE = 0x9e3779b1;

void fill_nodes(double *out, int64_t n, uint64_t seed)
{
	(void)seed;
	for (int64_t i = 0; i < n; i++)
		out[i] = (double)(i % WORDS < WORDS - 1 ? i % 9
							: (i / WORDS + STRIDE) % (n / WORDS));
}

/* The first node of each list of STEPS, and its middle one. */
void fill_heads(double *out, int64_t n, uint64_t seed)
{
	(void)seed;
	for (int64_t i = 0; i < n; i++)
		out[i] = (double)(i * (STEPS / 2) * STRIDE % (n * (STEPS / 2)));
}

void walk(const double *nodes, const double *heads, double *out, int64_t steps, int64_t list)
{
	int64_t at = (int64_t)heads[2 * list];

	out[list] = 0;
	for (int64_t s = 0; s < steps; s++) {
		for (int64_t k = 0; k < WORDS - 1; k++)
			out[list] += nodes[at * WORDS + k];
		at = (int64_t)nodes[at * WORDS + WORDS - 1];
	}
}
