/* Shares of variance. Golden numbers are arithmetic by hand, written beside them.
 * covers: importance.c */
#include "reports/results/importance.h"

#include <math.h>

#include "tests/tap.h"

static struct asc_err e;

static double single(const double *y, size_t n, const uint16_t *picks, size_t n_values)
{
	const struct importance_factor f = {picks, n_values};
	struct importance i = {1, -1};

	tap_int(importance_find(y, n, &f, 1, &i, &e), ASC_OK, "asked");
	tap_int(i.factor, 0, "of the only one");
	return i.share;
}

static void test_single(void)
{
	static const double y[] = {1, 2, 3, 5, 6, 7};
	static const uint16_t two[] = {0, 0, 0, 1, 1, 1}, none[] = {0, 1, 0, 1, 0, 1},
			      gap[] = {0, 0, 0, UINT16_MAX, UINT16_MAX, UINT16_MAX};

	/* Means 2, 6 and 4: SSb = 24, SSw = 4, MSw = 4 / (6 - 2), SSt = 28. */
	tap_real(single(y, 6, two, 2), 23.0 / 29, 1e-12, "two groups");
	tap_real(single(y, 6, two, 9), 23.0 / 29, 1e-12, "values that nothing has do not count");
	tap_real(single(y, 6, gap, 1), 23.0 / 29, 1e-12, "what has no value is a group");
	/* Means 10/3 and 14/3: SSb = 6 * 4/9 = 8/3 < MSw = (28 - 8/3) / 4. */
	tap_real(single(y, 6, none, 2), 0, 0, "less than chance gives is nothing");
}

static void test_edges(void)
{
	static const double y[] = {5, 5, 5, 5}, z[] = {0, 0, 10, 10}, far[] = {1e9, 1e9, 1e9 + 1};
	static const uint16_t two[] = {0, 0, 1, 1}, each[] = {0, 1, 2, 3}, one[] = {0, 0, 0, 0};

	tap_real(single(y, 4, two, 2), 0, 0, "a constant has nothing to share");
	tap_real(single(z, 4, two, 2), 1, 0, "groups without spread explain all");
	tap_real(single(z, 4, one, 1), 0, 0, "one group explains nothing");
	tap_ok(isnan(single(z, 4, each, 4)), "as many groups as configurations: not known");
	tap_ok(isnan(single(z, 0, two, 2)), "nothing: not known");
	tap_real(single(far, 3, two, 2), 1, 1e-12, "far from 0 nothing is lost");
}

/* y = 4 a + 2 b + c: squares of 32, 8 and 2 of 42, nothing left. */
static void test_balanced(void)
{
	static const double y[] = {0, 1, 2, 3, 4, 5, 6, 7};
	static const uint16_t a[] = {0, 0, 0, 0, 1, 1, 1, 1}, b[] = {0, 0, 1, 1, 0, 0, 1, 1},
			      c[] = {0, 1, 0, 1, 0, 1, 0, 1};
	const struct importance_factor f[] = {{c, 2}, {b, 2}, {a, 2}};
	struct importance i[3];

	tap_int(importance_find(y, 8, f, 3, i, &e), ASC_OK, "three");
	tap_ok(i[0].factor == 2 && i[1].factor == 1 && i[2].factor == 0, "the largest first");
	tap_real(i[0].share, 32.0 / 42, 1e-12, "the first");
	tap_real(i[1].share, 8.0 / 42, 1e-12, "the second");
	tap_real(i[2].share, 2.0 / 42, 1e-12, "the third");
}

/* Two factors that go together nearly everywhere: each alone has most of the variance. */
static void test_overlap(void)
{
	static const double y[] = {0, 0.1, 0, 0.1, 0, 1, 1.1, 1, 1.1, 1};
	static const uint16_t a[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
			      b[] = {0, 0, 0, 0, 1, 0, 1, 1, 1, 1};
	const struct importance_factor f[] = {{b, 2}, {a, 2}};
	struct importance i[2];

	tap_ok(single(y, 10, a, 2) + single(y, 10, b, 2) > 1.2, "alone they overlap");
	importance_find(y, 10, f, 2, i, &e);
	tap_int(i[0].factor, 1, "the one with more comes first");
	tap_ok(i[0].share > 0.98 && i[0].share + i[1].share <= 1, "and they add up: %.4f, %.4f",
	       i[0].share, i[1].share);
}

/* Five factors of two values need ten configurations, of three values twenty. */
static void test_few(void)
{
	enum { FACTORS = 5, MOST = 20 };
	static const size_t least[] = {10, 20};
	struct importance i[FACTORS];
	uint16_t picks[FACTORS][MOST];
	struct importance_factor f[FACTORS];
	double y[MOST];

	for (size_t values = 2; values <= 3; values++) {
		for (size_t k = 0; k < FACTORS; k++)
			f[k] = (struct importance_factor){picks[k], values};
		for (size_t n = least[values - 2] - 1; n <= least[values - 2]; n++) {
			for (size_t c = 0; c < n; c++) {
				y[c] = (double)(c * c % 7);
				for (size_t k = 0; k < FACTORS; k++)
					picks[k][c] = (uint16_t)((c * (k + 2) + c / 3) % values);
			}
			importance_find(y, n, f, FACTORS, i, &e);
			tap_int(!isnan(i[0].share), n == least[values - 2],
				"%zu configurations for five times %zu values", n, values);
		}
	}
}

/* Cells 0,2 and 4,6 crossed: SSt = 40, SSb of pairs = 32, MSw = 8 / (8 - 4), of singles 0. */
static void test_pair(void)
{
	static const double y[] = {0, 2, 4, 6, 4, 6, 0, 2}, added[] = {0, 2, 4, 6, 4, 6, 8, 10};
	static const uint16_t a[] = {0, 0, 0, 0, 1, 1, 1, 1}, b[] = {0, 0, 1, 1, 0, 0, 1, 1};
	const struct importance_factor pair[2] = {{a, 2}, {b, 2}};
	const struct importance_factor wide[2] = {{a, 65535}, {b, 65535}};
	struct importance_of_pair p;

	tap_real(single(y, 8, a, 2), 0, 0, "neither alone explains");
	tap_int(importance_pair(y, 8, pair, &p, &e), ASC_OK, "both together");
	tap_real(p.joint, 26.0 / 42, 1e-12, "the cells do");
	tap_real(p.extra, 26.0 / 42, 1e-12, "all of it beyond what both add");
	importance_pair(added, 8, pair, &p, &e);
	tap_real(p.extra, 0, 1e-12, "what both add is nothing beyond");
	importance_pair(y, 1, pair, &p, &e);
	tap_ok(isnan(p.extra), "what is not known stays so");
	tap_int(importance_pair(y, 8, wide, &p, &e), ASC_LIMIT, "too many cells");
}

int main(void)
{
	test_single();
	test_edges();
	test_balanced();
	test_overlap();
	test_few();
	test_pair();
	return tap_done();
}
