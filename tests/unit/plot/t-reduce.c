/* Points that are left out, lines of a few values.
 * covers: reduce.c history_marks.c */
#include "reports/page/plot/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/plot/history_marks.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"

static struct asc_err e;

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

	check_line(values, 4, 9, "<path d=\"M4.0 24.0h0L41.3 4.0M116.0 24.0h0\"/>", "a gap");
	check_line(values, 4, 1, "<path fill=\"var(--bad)\" d=\"M41.3 4.0m0 -4l4 7h-8z\"/>",
		   "a change");
	check_line(values, 4, 9, "<title>a &lt;b&gt; &amp; &#39;c&#39;</title><path", "its words");
	check_line(values, 1, 9, "d=\"M60.0 14.0h0\"", "one value");
	check_line(nothing, 2, 0, "<title>a &lt;b&gt; &amp; &#39;c&#39;</title></svg>", "none");
	for (int i = 0; i < 5000; i++)
		many[i] = i % 7;
	sparkline_print(&(struct sparkline){.values = many, .n = 5000, .label = ""}, &b);
	tap_ok(b.len < 3000, "5,000 values take %zu bytes", b.len);
	buf_fini(&b);
}

int main(void)
{
	test_reduce();
	test_sparkline();
	return tap_done();
}
