/* The pictures that asctune draws itself: well-formed whatever the names, and with the marks that
 * the numbers ask for.
 * covers: ratio_marks.c sample_bars.c history_marks.c value_bars.c part_bars.c */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/plot/history_marks.h"
#include "reports/page/plot/part_bars.h"
#include "reports/page/plot/ratio_marks.h"
#include "reports/page/plot/sample_bars.h"
#include "reports/page/plot/value_bars.h"
#include "tests/markup_check.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"

static const char hostile[] = "</svg><script>alert(1)</script>\"'`]]>&\n\x01\xff";

/* The text is well-formed, and has the part as often as stated; frees it. */
static void check(struct buf *out, const char *part, int times, const char *name)
{
	char *wrong = markup_check(buf_str(out), out->len, MARKUP_PAGE);
	int n = 0;

	for (const char *at = buf_str(out); (at = strstr(at, part)); at++)
		n++;
	tap_ok(!wrong, "%s: %s", name, wrong ? wrong : "well-formed");
	tap_int(n, times, "%s: %s", name, part);
	tap_ok(!strstr(buf_str(out), "<script"), "%s: a name is no element", name);
	free(wrong);
	buf_fini(out);
}

static void test_ratios(void)
{
	struct ratio_axis axis = {0};
	struct buf out = {0};

	ratio_bar_print(2, hostile, &out);
	check(&out, "x=\"35.0\" y=\"2\" width=\"17.0\" height=\"8\" fill=\"var(--good)\"", 1,
	      "twice as fast: half of the right side");
	ratio_bar_print(0.25, hostile, &out);
	check(&out, "x=\"1.0\" y=\"2\" width=\"34.0\" height=\"8\" fill=\"var(--bad)\"", 1,
	      "a quarter: all of the left side");
	ratio_axis_add(&axis, 1.5);
	ratio_axis_add(&axis, NAN);
	ratio_axis_add(&axis, 100);
	tap_real(axis.low, 0.95, 1e-9, "the axis begins below 1");
	tap_real(axis.high, 4, 1e-9, "and ends at 4, whatever the ratio");
	ratio_row_print(&axis, &(struct ratio_row){1.2, 1.1, 1.3, true, hostile}, &out);
	check(&out, "var(--good)", 3, "a tie: its interval and its point");
	ratio_row_print(&axis, &(struct ratio_row){100, NAN, NAN, false, hostile}, &out);
	check(&out, "cx=\"100.0%\" cy=\"10\" r=\"4\" stroke=\"var(--s1)\" fill=\"var(--bg)\"", 1,
	      "far away: hollow, at the edge");
	ratio_axis_print(&axis, &out);
	check(&out, "1×</text>", 1, "the axis names 1");
}

static void test_parts(void)
{
	const double values[STACK_COLORS] = {50, 0, 30, NAN, -1, 0, 20};
	struct buf out = {0};

	part_bar_print(0.5, 1, true, hostile, &out);
	check(&out, "width=\"50.0%\" fill=\"var(--s2)\"", 1, "half of the track, chosen");
	part_bar_print(1.1, 1.25, false, hostile, &out);
	check(&out,
	      "width=\"80.0%\" fill=\"var(--grid)\"/><rect y=\"4\" height=\"12\" width=\"88.0%\"",
	      1, "more than the peak: beyond the track");
	part_bar_print(NAN, 1, false, hostile, &out);
	check(&out, "width=\"0.0%\" fill=\"var(--s1)\"", 1, "not known: no bar");
	part_bar_print(9, 1.25, false, hostile, &out);
	check(&out, "width=\"100.0%\" fill=\"var(--s1)\"", 1, "far beyond: cut");
	stack_bar_print(values, STACK_COLORS, 200, hostile, &out);
	check(&out, "<rect", 3, "a bar for each value above 0");
	stack_bar_print(values, STACK_COLORS, 200, hostile, &out);
	check(&out, "x=\"25.0%\" width=\"15.0%\"", 1, "side by side, in parts of the whole");
	stack_bar_print(values, STACK_COLORS, 200, hostile, &out);
	check(&out, "fill=\"var(--na)\"", 1, "the last one has the colour of the rest");
	stack_bar_print(values, STACK_COLORS, 60, hostile, &out);
	check(&out, "x=\"83.3%\" width=\"16.7%\"", 1, "more than the whole: cut where that ends");
	stack_bar_print((const double[]){INFINITY, 1}, 2, 60, hostile, &out);
	check(&out, "<rect", 1, "and what is behind it left out");
	stack_bar_print(values, STACK_COLORS, 0, hostile, &out);
	check(&out, "<rect", 0, "of nothing there are no parts");
	stack_key_print(0, &out);
	check(&out, "width=\"10\" height=\"10\" fill=\"#", 1, "a square for the key");
}

/* Intervals and points beyond the axis: an arrow and the value, beside the plot. */
static void test_ratios_beyond(void)
{
	struct ratio_axis axis = {0}, near = {0};
	struct buf out = {0};

	ratio_axis_add(&near, 3.9);
	ratio_row_print(&near, &(struct ratio_row){3.9, 1.5, 4, false, "r"}, &out);
	check(&out, "<text", 0, "nothing is beyond: no value");
	ratio_axis_add(&axis, 3.79);
	ratio_axis_add(&axis, 15.77);
	ratio_row_print(&axis, &(struct ratio_row){3.79, 1.5, 15.77, false, "r"}, &out);
	check(&out, "class=\"forest more\"", 1, "room at the right");
	ratio_row_print(&axis, &(struct ratio_row){3.79, 1.5, 15.77, false, "r"}, &out);
	check(&out, "<text x=\"100%\" y=\"14\" dx=\"6\">→ 16×</text>", 1, "the interval's end");
	ratio_row_print(&axis, &(struct ratio_row){5.2, 1.5, 15.77, false, "r"}, &out);
	check(&out, "→ 5.2×</text>", 1, "a point beyond: its value, not the interval's");
	ratio_axis_print(&axis, &out);
	check(&out, "class=\"ticks more\"", 1, "the axis is as wide as the rows");
	ratio_axis_add(&axis, 0.09);
	ratio_row_print(&axis, &(struct ratio_row){1, 0.09, 20.07, false, "r"}, &out);
	check(&out, ">0.090× ←</text><text x=\"100%\" y=\"14\" dx=\"6\">→ 20×</text>", 1,
	      "both ends");
	ratio_row_print(&axis, &(struct ratio_row){1, 0.09, 20.07, false, "r"}, &out);
	check(&out, "class=\"forest less more\"", 1, "room at both sides");
}

static void test_bars(void)
{
	const struct value_bar list[] = {
		{"1", 1, 12, hostile}, {hostile, 1.5, 7, "b"}, {"4", NAN, 0, "c"}};
	struct value_bar many[40];
	struct buf out = {0};

	value_bars_print(&(struct value_bars){list, 3, 0, hostile}, &out);
	check(&out, "<line", 3, "a bar for each value");
	value_bars_print(&(struct value_bars){list, 3, 0, hostile}, &out);
	check(&out, ">12</text>", 1, "with the configurations behind it");
	value_bars_print(&(struct value_bars){list, 1, 1, "x"}, &out);
	check(&out, "1.00×", 1, "one value has room for its ratio");
	for (size_t i = 0; i < 40; i++)
		many[i] = (struct value_bar){"100000", 1 + (double)i, 3, "l"};
	value_bars_print(&(struct value_bars){many, 40, 7, "x"}, &out);
	check(&out, "<text", 1, "of many only the chosen one's name stands there");
	for (size_t i = 0; i < 40; i++)
		many[i] = (struct value_bar){"128", 1, 3, "l"};
	value_bars_print(&(struct value_bars){many, 6, 3, "x"}, &out);
	check(&out, ">128<", 3, "names that would touch: every second, the chosen one among them");
	value_bars_print(&(struct value_bars){many, 4, 3, "x"}, &out);
	check(&out, ">128<", 4, "names that do not touch stand below all");
	value_bars_print(&(struct value_bars){many, 4, 3, "x"}, &out);
	check(&out, "1.00×", 0, "ratios that would touch are left out");
	value_bars_print(&(struct value_bars){many, 3, 2, "x"}, &out);
	check(&out, "1.00×", 3, "ratios that do not touch stand below all");
}

/* Two modes of the one, an outlier of the other, which is beyond: its quartiles are 1200 and 1210.
 */
static void test_samples(void)
{
	int64_t modes[] = {1000, 1400, 1000, 1400, 1000, 1400, 1000, 1400};
	int64_t outlier[] = {1200, 1210, 1200, 1210, 1200, 1210, 1200, 9000};
	int64_t alike[] = {5, 5, 5, 5}, few[] = {1, 2, 3};
	struct sample_set sets[2] = {{modes, 8}, {outlier, 8}};
	struct sample_range r;
	struct buf out = {0};

	tap_ok(sample_bars_find(sets, &r), "there is something to see");
	tap_real(r.low, 1000, 0, "from the shortest");
	tap_real(r.high, 1400, 0, "to the longest that is no outlier");
	tap_int(r.beyond, 1, "samples beyond");
	tap_real(r.most, 9000, 0, "the longest of all");
	sample_bars_print(sets, &r, hostile, &out);
	check(&out, "M0 19v-19.0h1V19zM47 19v-19.0h1V19z\"", 1,
	      "two modes up, half of the samples each");
	sample_bars_print(sets, &r, hostile, &out);
	/* 4 of 8 are at 1200, the middle, and 3 at 1210: shares of 0.5 and 0.375. */
	check(&out, "M24 21v19.0h1V21zM25 21v14.2h1V21z\"", 1,
	      "the other down, without what is beyond");
	sets[0] = (struct sample_set){alike, 4};
	sets[1] = sets[0];
	tap_ok(!sample_bars_find(sets, &r), "nothing to see of equal samples");
	sets[1] = (struct sample_set){few, 3};
	tap_ok(!sample_bars_find(sets, &r), "nor of three");
}

static void test_trend(void)
{
	const double kernel[] = {0, 1, NAN, 12, 11}, baseline[] = {0, 0, 0, 0, 0};
	const struct trend t = {.lines = {{kernel, hostile}, {baseline, hostile}},
				.n = 5,
				.change = 3,
				.first = hostile,
				.last = "2026-01-05",
				.label = hostile};
	struct trend one = t;
	struct buf out = {0};

	trend_print(&t, &out);
	check(&out, "<path fill=\"none\"", 2, "kernel and baseline");
	one.lines[1].values = NULL;
	one.n = 1;
	trend_print(&one, &out);
	check(&out, "<path fill=\"none\"", 1, "a single night");
}

static void test_nights(void)
{
	const double list[] = {0, NAN, 1.9, -30, 5};
	const char *const days[] = {"a", "b", "c", "d", hostile};
	struct buf out = {0};

	night_row_print(list, 5, days, hostile, &out);
	check(&out, "<rect", 4, "two bands of measured nights, two that differ");
	night_row_print(list, 5, days, "x", &out);
	check(&out, "fill=\"var(--good)\" opacity=\"1.00\"><title>d: -30.0 %", 1,
	      "much faster: in full colour, with its day");
	night_row_print((const double[]){0, INFINITY}, 2, days, "x", &out);
	check(&out, "stroke=\"var(--fg)\" stroke-width=\"2\"><title>b: broken</title>", 1,
	      "broken: with a frame");
}

int main(void)
{
	test_ratios();
	test_parts();
	test_ratios_beyond();
	test_bars();
	test_samples();
	test_trend();
	test_nights();
	return tap_done();
}
