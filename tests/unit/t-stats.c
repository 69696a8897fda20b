/* Quartiles. Expected values are those of Python: statistics.quantiles(x, n=4, method='inclusive').
 */
#include <stddef.h>

#include "tests/tap.h"
#include "tuner/base/stats.h"

static void check(const char *name, int64_t *samples, size_t n, const double want[5])
{
	struct stats_summary s;
	stats_summarize(samples, n, &s);
	tap_int(s.n, n, "%s: n", name);
	tap_real(s.min, want[0], 0, "%s: min", name);
	tap_real(s.q1, want[1], 0, "%s: q1", name);
	tap_real(s.median, want[2], 0, "%s: median", name);
	tap_real(s.q3, want[3], 0, "%s: q3", name);
	tap_real(s.max, want[4], 0, "%s: max", name);
}

int main(void)
{
	int64_t one[] = {7};
	int64_t two[] = {20, 10};
	int64_t four[] = {4, 1, 3, 2};
	int64_t five[] = {50, 10, 40, 20, 30};
	int64_t ten[] = {97, 3, 41, 12, 12, 5, 88, 60, 23, 7};
	int64_t wide[] = {INT64_MAX, INT64_MIN, 0};
	check("none", NULL, 0, (double[]){0, 0, 0, 0, 0});
	check("one", one, 1, (double[]){7, 7, 7, 7, 7});
	check("two", two, 2, (double[]){10, 12.5, 15, 17.5, 20});
	check("four", four, 4, (double[]){1, 1.75, 2.5, 3.25, 4});
	check("five", five, 5, (double[]){10, 20, 30, 40, 50});
	check("ten", ten, 10, (double[]){3, 8.25, 17.5, 55.25, 97});
	check("wide", wide, 3, (double[]){-0x1p63, -0x1p62, 0, 0x1p62, 0x1p63});
	tap_ok(ten[0] == 3 && ten[9] == 97 && ten[4] == 12, "samples are sorted in place");
	return tap_done();
}
