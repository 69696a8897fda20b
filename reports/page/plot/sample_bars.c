#include "reports/page/plot/sample_bars.h"

#include <math.h>

#include "reports/page/plot/picture_text.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/stats.h"

enum {
	LEAST = 4,   /* samples that have quartiles */
	BARS = 48,   /* across: two modes are seen, and few bars are empty by chance */
	MIDDLE = 20, /* height of either side */
	GAP = 1
};

/* Middle halves above the upper quartile, beyond which a sample is far out (Tukey). */
static const double FENCE = 3;

bool sample_bars_find(struct sample_set sets[2], struct sample_range *out)
{
	*out = (struct sample_range){.low = INFINITY};
	for (int k = 0; k < 2; k++) {
		struct stats_summary s;

		if (sets[k].n < LEAST)
			return false;
		stats_summarize(sets[k].list, sets[k].n, &s);
		out->low = fmin(out->low, s.min);
		out->most = fmax(out->most, s.max);
		out->high = fmax(out->high, fmin(s.max, s.q3 + FENCE * (s.q3 - s.q1)));
	}
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < sets[k].n; i++)
			out->beyond += (double)sets[k].list[i] > out->high;
	return out->high > out->low;
}

void sample_bars_print(const struct sample_set sets[2], const struct sample_range *r,
		       const char *label, struct buf *out)
{
	size_t counts[2][BARS] = {{0}};
	double most = 0; /* greatest share of any bar: bars are as high as their share of it */

	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < sets[k].n; i++) {
			const double part = ((double)sets[k].list[i] - r->low) / (r->high - r->low);

			if (part <= 1)
				counts[k][part < 1 ? (size_t)(part * BARS) : BARS - 1]++;
		}
		for (int i = 0; i < BARS; i++)
			most = fmax(most, (double)counts[k][i] / (double)sets[k].n);
	}
	buf_print(out,
		  "<svg role=\"img\" class=\"samples\" viewBox=\"0 0 %d %d\" "
		  "preserveAspectRatio=\"none\" aria-label=\"",
		  BARS, 2 * MIDDLE);
	picture_text_escape(out, label);
	buf_print(out, "\"><path stroke=\"var(--mut)\" stroke-width=\".5\" d=\"M0 %dh%d\"/>",
		  MIDDLE, BARS);
	for (int k = 0; k < 2; k++) { /* up, then down */
		const int foot = k == 0 ? MIDDLE - GAP : MIDDLE + GAP;

		buf_print(out, "<path fill=\"var(--%s)\" d=\"", k == 0 ? "good" : "s1");
		for (int i = 0; i < BARS; i++) {
			const double height =
				(MIDDLE - GAP) * (double)counts[k][i] / (double)sets[k].n / most;

			if (counts[k][i])
				buf_print(out, "M%d %dv%s%.1fh1V%dz", i, foot, k == 0 ? "-" : "",
					  height, foot);
		}
		buf_add_str(out, "\"/>");
	}
	buf_add_str(out, "</svg>");
}
