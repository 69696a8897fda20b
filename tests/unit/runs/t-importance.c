/* Shares of variance. Golden numbers are arithmetic by hand, written beside them. */
#include "reports/runs/importance.h"

#include <math.h>

#include "tests/tap.h"

static struct asc_err e;

static double single(const double *y, size_t n, const uint16_t *picks, size_t n_values)
{
	const struct importance_factor f = {picks, n_values};
	double share = -1;

	tap_int(importance_single(y, n, &f, &share, &e), ASC_OK, "asked");
	return share;
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

/* Cells 0,2 and 4,6 crossed: SSt = 40, SSb of pairs = 32, MSw = 8 / (8 - 4), of singles 0. */
static void test_pair(void)
{
	static const double y[] = {0, 2, 4, 6, 4, 6, 0, 2};
	static const uint16_t a[] = {0, 0, 0, 0, 1, 1, 1, 1}, b[] = {0, 0, 1, 1, 0, 0, 1, 1};
	const struct importance_factor pair[2] = {{a, 2}, {b, 2}};
	const struct importance_factor wide[2] = {{a, 65535}, {b, 65535}};
	struct importance_of_pair p;
	const double none[2] = {0, 0}, some[2] = {0.5, 0.5}, unknown[2] = {NAN, 0};

	tap_real(single(y, 8, a, 2), 0, 0, "neither alone explains");
	tap_int(importance_pair(y, 8, pair, none, &p, &e), ASC_OK, "both together");
	tap_real(p.joint, 26.0 / 42, 1e-12, "the cells do");
	tap_real(p.extra, 26.0 / 42, 1e-12, "all of it beyond the single ones");
	importance_pair(y, 8, pair, some, &p, &e);
	tap_real(p.extra, 0, 0, "less than both alone is nothing beyond");
	importance_pair(y, 8, pair, unknown, &p, &e);
	tap_ok(isnan(p.extra), "what is not known stays so");
	tap_int(importance_pair(y, 8, wide, none, &p, &e), ASC_LIMIT, "too many cells");
}

int main(void)
{
	test_single();
	test_edges();
	test_pair();
	return tap_done();
}
