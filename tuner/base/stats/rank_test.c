#include "tuner/base/stats/rank_test.h"

#include <math.h>
#include <stdbool.h>

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
