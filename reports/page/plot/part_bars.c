#include "reports/page/plot/part_bars.h"

#include <math.h>

#include "reports/page/plot/palette.h"
#include "reports/page/plot/picture_text.h"
#include "tuner/base/buf.h"

static void begin(const char *label, struct buf *out)
{
	buf_add_str(out, "<svg role=\"img\"><title>");
	picture_text_escape(out, label);
	buf_add_str(out, "</title>");
}

void part_bar_print(double part, double most, bool on, const char *label, struct buf *out)
{
	const double width = isfinite(part) ? 100 * fmin(fmax(part / most, 0), 1) : 0;

	begin(label, out);
	buf_print(out,
		  "<rect y=\"4\" height=\"12\" width=\"%.1f%%\" fill=\"var(--grid)\"/>"
		  "<rect y=\"4\" height=\"12\" width=\"%.1f%%\" fill=\"var(--%s)\"/></svg>",
		  100 / most, width, on ? "s2" : "s1");
}

/* Writes the fill of a colour: the ramp of heat maps, which can be told apart with any colour
 * vision and in grey print, without its darkest part, which a dark page hides; what is left has
 * none of it. */
static void add_fill(size_t color, struct buf *out)
{
	if (color + 1 < STACK_COLORS)
		buf_print(out, "fill=\"#%06x\"",
			  palette_find_ramp(0.22 + 0.73 * (double)color / (STACK_COLORS - 2)));
	else
		buf_add_str(out, "fill=\"var(--na)\"");
}

void stack_bar_print(const double *values, size_t n, double whole, const char *label,
		     struct buf *out)
{
	double at = 0;

	begin(label, out);
	for (size_t i = 0; i < n && whole > 0; i++) {
		/* Damaged values may be more than the whole: they end where it does. */
		const double width = fmin(100 * values[i] / whole, 100 - at);

		if (!(width > 0) || isnan(values[i])) /* NaN is no minimum */
			continue;
		/* The edge tells neighbours apart on either background. */
		buf_print(out,
			  "<rect y=\"4\" height=\"12\" x=\"%.1f%%\" width=\"%.1f%%\" "
			  "stroke=\"var(--bg)\" ",
			  at, width);
		add_fill(i < STACK_COLORS ? i : STACK_COLORS - 1, out);
		buf_add_str(out, "/>");
		at += width;
	}
	buf_add_str(out, "</svg>");
}

void stack_key_print(size_t color, struct buf *out)
{
	buf_add_str(out,
		    "<svg class=\"dot\" aria-hidden=\"true\"><rect width=\"10\" height=\"10\" ");
	add_fill(color, out);
	buf_add_str(out, "/></svg>");
}
