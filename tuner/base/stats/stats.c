#include "tuner/base/stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The quantile k/4 of n sorted samples. */
static double quartile(const int64_t *sorted, size_t n, size_t k)
{
	size_t at = (n - 1) * k;
	size_t low = at / 4;
	double below = (double)sorted[low];
	if (at % 4 == 0)
		return below;
	return below + ((double)sorted[low + 1] - below) * (double)(at % 4) / 4;
}

bool stats_median_ranks(size_t n, size_t *low, size_t *high)
{
	double term = -(double)n * M_LN2; /* logarithm of the chance of k successes in n */
	double tail = exp(term);
	size_t k = 0;

	for (; tail <= 0.025 && k < n; k++) {
		term += log((double)(n - k) / (double)(k + 1));
		tail += exp(term);
	}
	*low = k;
	*high = n + 1 - k;
	return k > 0;
}

void stats_summarize(int64_t *samples, size_t n, struct stats_summary *out)
{
	*out = (struct stats_summary){.n = n};
	if (n == 0)
		return;
	qsort(samples, n, sizeof *samples, compare);
	out->min = quartile(samples, n, 0);
	out->q1 = quartile(samples, n, 1);
	out->median = quartile(samples, n, 2);
	out->q3 = quartile(samples, n, 3);
	out->max = quartile(samples, n, 4);
	size_t low, high;
	if (!stats_median_ranks(n, &low, &high))
		return;
	out->interval =
		(struct stats_interval){true, (double)samples[low - 1], (double)samples[high - 1]};
}

static int compare_reals(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

double stats_median(double *numbers, size_t n, struct stats_interval *out)
{
	size_t low = 1, high = n;

	qsort(numbers, n, sizeof *numbers, compare_reals);
	bool known = stats_median_ranks(n, &low, &high);
	*out = (struct stats_interval){known, numbers[known ? low - 1 : 0],
				       numbers[known ? high - 1 : n - 1]};
	return n % 2 ? numbers[n / 2] : (numbers[n / 2 - 1] + numbers[n / 2]) / 2;
}

/* Moves the number that would be number k of the sorted ones to its place, none larger before it
 * and none smaller after it (Hoare, "Algorithm 65: Find", 1961). */
static void select_rank(double *numbers, size_t n, size_t k)
{
	double *low = numbers, *high = numbers + n - 1, *at = numbers + k;

	while (low < high) {
		double pivot = *at, *left = low, *right = high;

		while (left <= right) {
			while (*left < pivot)
				left++;
			while (pivot < *right)
				right--;
			if (left > right)
				break;
			double swap = *left;

			*left++ = *right;
			*right-- = swap;
		}
		if (right < at)
			low = left;
		if (at < left)
			high = right;
	}
}

double stats_select_median(double *numbers, size_t n)
{
	select_rank(numbers, n, n / 2);
	double upper = numbers[n / 2], lower = numbers[0];

	if (n % 2)
		return upper;
	for (size_t i = 1; i < n / 2; i++)
		if (numbers[i] > lower)
			lower = numbers[i];
	return (lower + upper) / 2;
}

double stats_sign_test(size_t more, size_t n)
{
	double term = -(double)n * M_LN2; /* logarithm of the chance of n heads, n - 1, ... */
	double tail = 0;

	for (size_t k = n; k >= more; k--) {
		tail += exp(term);
		if (k == 0)
			break;
		term += log((double)k / (double)(n - k + 1));
	}
	return tail;
}

/* ---- rank test ---- */

enum { MAX_OTHER = 64 }; /* most samples of the larger set, for the exact distribution */

struct ranks {
	double u;    /* pairs in which a is longer; a tie counts half */
	double ties; /* sum of t^3 - t over groups of t equal samples */
};

/* Sum of t^3 - t over the groups of t equal samples in both sets: that of t^2 - 1 over their
 * members. */
static double tie_term(int64_t x, const int64_t *a, size_t na, const int64_t *b, size_t nb)
{
	double t = 0;

	for (size_t i = 0; i < na; i++)
		t += a[i] == x;
	for (size_t i = 0; i < nb; i++)
		t += b[i] == x;
	return t * t - 1;
}

static struct ranks count_ranks(const int64_t *a, size_t na, const int64_t *b, size_t nb)
{
	struct ranks r = {0, 0};

	for (size_t i = 0; i < na; i++) {
		for (size_t k = 0; k < nb; k++)
			r.u += a[i] > b[k] ? 1 : a[i] == b[k] ? 0.5 : 0;
		r.ties += tie_term(a[i], a, na, b, nb);
	}
	for (size_t k = 0; k < nb; k++)
		r.ties += tie_term(b[k], a, na, b, nb);
	return r;
}

/* P(U >= u). The numbers of ways to reach each u are the coefficients of the Gaussian binomial (m +
 * n over m): the product of (1 - q^(n+i)) / (1 - q^i). m <= RANK_TEST_EXACT. */
static double exact_tail(size_t m, size_t n, size_t u)
{
	double ways[RANK_TEST_EXACT * MAX_OTHER + 1] = {1}, all = 0, tail = 0;
	size_t most = m * n;

	for (size_t i = 1; i <= m; i++) {
		for (size_t k = most; k >= n + i; k--)
			ways[k] -= ways[k - n - i];
		for (size_t k = i; k <= most; k++)
			ways[k] += ways[k - i];
	}
	for (size_t k = 0; k <= most; k++) {
		all += ways[k];
		tail += k >= u ? ways[k] : 0;
	}
	return tail / all;
}

static double normal_tail(const struct ranks *r, double na, double nb)
{
	double n = na + nb;
	double variance = na * nb / 12 * (n + 1 - r->ties / (n * (n - 1)));

	if (variance <= 0)
		return 1; /* all samples are equal */
	return erfc((r->u - na * nb / 2 - 0.5) / sqrt(2 * variance)) / 2;
}

double rank_test_longer(const int64_t *a, size_t na, const int64_t *b, size_t nb)
{
	size_t less = na < nb ? na : nb, more = na < nb ? nb : na;

	if (less == 0)
		return 1;
	struct ranks r = count_ranks(a, na, b, nb);
	bool exact = r.ties == 0 && less <= RANK_TEST_EXACT && more <= MAX_OTHER;

	return exact ? exact_tail(less, more, (size_t)r.u)
		     : normal_tail(&r, (double)na, (double)nb);
}
