/* Densities, points that are left out, lines of a few values. */
#include "reports/plot/density.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/plot/label_rows.h"
#include "reports/plot/reduce.h"
#include "reports/plot/sparkline.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/rng.h"

static struct asc_err e;

/* Quartiles of 1 to 9 with an outlier, by hand: sorted 1..9, 100; positions 2.25, 4.5, 6.75. */
static void test_box(void)
{
	const double values[] = {5, 3, 100, 1, 2, 4, NAN, 6, 7, -1, 8, 9};
	struct density d;

	tap_int(density_find(values, 12, &d, &e), ASC_OK, "a box");
	tap_int(d.n, 10, "what is no time does not count");
	tap_real(d.q1, 3.25, 1e-12, "first quartile");
	tap_real(d.median, 5.5, 1e-12, "median");
	tap_real(d.q3, 7.75, 1e-12, "third quartile");
	tap_ok(d.low - 1 == 0.0 && d.high - 9 == 0.0, "whiskers end before the outlier");
	tap_int(density_find(NULL, 0, &d, &e), ASC_OK, "nothing");
	tap_int(d.n, 0, "is nothing");
}

/* Normal logarithms: densest at the mean; one sd away a kernel estimate is at exp(-1/2), a little
 * flatter by the kernels' width. */
static void test_normal(void)
{
	enum { N = 20000 };
	static double values[N];
	struct density d;
	struct rng r;
	double top = 0, side = 0;

	rng_init(&r, 5);
	for (int i = 0; i < N; i++)
		values[i] = exp(0.2 * rng_normal(&r));
	tap_int(density_find(values, N, &d, &e), ASC_OK, "20,000 values");
	for (int k = 0; k < DENSITY_POINTS; k++) {
		if (fabs(log(d.at[k])) < 0.014)
			top = d.height[k];
		if (fabs(log(d.at[k]) - 0.2) < 0.011)
			side = d.height[k];
	}
	tap_real(top, 1, 0.05, "densest at the mean");
	tap_real(side, exp(-0.5), 0.06, "as dense as a normal one is, one sd away");
}

static void test_reduce(void)
{
	enum { N = 100000 };
	static double places[N], values[N];
	struct reduction r;
	struct rng g;

	rng_init(&g, 1);
	for (int i = 0; i < N; i++) {
		places[i] = i / (double)N;
		values[i] = rng_uniform(&g);
	}
	values[4711] = -1;
	values[70000] = 2;
	values[5] = NAN;
	tap_int(reduce_columns(places, values, N, 1000, &r, &e), ASC_OK, "100,000 points");
	tap_ok(r.kept > 900 && r.kept <= 1002, "become %zu", r.kept);
	tap_ok(r.keep[4711] && r.keep[70000] && !r.keep[5], "with those that stand out");
	size_t before = r.kept;
	reduction_keep(&r, 4711);
	tap_int(r.kept, before, "kept once");
	reduction_fini(&r);
	tap_int(reduce_columns(places, values, 900, 1000, &r, &e), ASC_OK, "900 points");
	tap_int(r.kept, 899, "stay, but for the one that is none");
	reduction_fini(&r);
}

static void test_rows(void)
{
	struct label_rows r = {0};

	tap_int(label_rows_place(&r, 0, 50), 0, "the first label");
	tap_int(label_rows_place(&r, 30, 80), 1, "one that would lie over it");
	tap_int(label_rows_place(&r, 60, 90), 0, "one that does not");
	tap_int(label_rows_place(&r, 60, 90), 2, "and so on");
	tap_int(label_rows_place(&r, 60, 90), 3, "to the last row");
	tap_int(label_rows_place(&r, 60, 90), LABEL_ROWS, "then there is none");
	tap_int(r.used, LABEL_ROWS, "rows are counted");
}

static void check_line(const double *values, size_t n, size_t index, const char *want,
		       const char *what)
{
	struct buf b = {0};

	sparkline_print(&(struct sparkline){values, n, index, SPARKLINE_SLOWER, "a <b> & 'c'"}, &b);
	tap_has(buf_str(&b), want, "sparkline: %s", what);
	buf_fini(&b);
}

static void test_sparkline(void)
{
	const double values[] = {1, 2, NAN, 1}, nothing[] = {NAN, NAN};
	static double many[5000];
	struct buf b = {0};

	check_line(values, 4, 9, "d=\"M4.0 24.0h0L41.3 4.0M116.0 24.0h0\"", "a gap");
	check_line(values, 4, 1, "<path fill=\"var(--bad)\" d=\"M41.3 4.0m0 -4l4 7h-8z\"/>",
		   "a change");
	check_line(values, 4, 9, "aria-label=\"a &lt;b&gt; &amp; &#39;c&#39;\"", "its words");
	check_line(values, 1, 9, "d=\"M60.0 14.0h0\"", "one value");
	check_line(nothing, 2, 0, "aria-label=\"a &lt;b&gt; &amp; &#39;c&#39;\"></svg>", "none");
	for (int i = 0; i < 5000; i++)
		many[i] = i % 7;
	sparkline_print(&(struct sparkline){.values = many, .n = 5000, .label = ""}, &b);
	tap_ok(b.len < 3000, "5,000 values take %zu bytes", b.len);
	buf_fini(&b);
}

int main(void)
{
	test_box();
	test_normal();
	test_reduce();
	test_rows();
	test_sparkline();
	return tap_done();
}
