#include "reports/page/plot/night_row.h"

#include <math.h>

#include "reports/page/plot/picture_text.h"
#include "tuner/base/buf.h"

static const double least_pct = 2, full_pct = 15; /* change from which a cell is coloured, fully */

static void begin_cell(size_t from, size_t cells, size_t n, struct buf *out)
{
	buf_print(out, "<rect x=\"%.2f%%\" width=\"%.2f%%\" height=\"100%%\" ",
		  100 * (double)from / (double)n, 100 * (double)cells / (double)n);
}

/* Prints the bands of nights that were measured, whatever their change. */
static void print_bands(const double *list, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n;) {
		const size_t from = i;

		while (i < n && isfinite(list[i]))
			i++;
		if (i > from) {
			begin_cell(from, i - from, n, out);
			buf_add_str(out, "fill=\"var(--grid)\"/>");
		}
		while (i < n && !isfinite(list[i]))
			i++;
	}
}

void night_row_print(const double *changes_pct, size_t n, const char *const *days,
		     const char *subject, struct buf *out)
{
	buf_add_str(out, "<svg role=\"img\" aria-label=\"");
	picture_text_escape(out, subject);
	buf_add_str(out, "\">");
	print_bands(changes_pct, n, out);
	for (size_t i = 0; i < n; i++) {
		const double pct = changes_pct[i], size = fabs(pct);

		if (!(size >= least_pct))
			continue;
		begin_cell(i, 1, n, out);
		buf_print(out, "fill=\"var(--%s)\" opacity=\"%.2f\"%s><title>",
			  pct > 0 ? "bad" : "good", fmin(0.25 + 0.75 * size / full_pct, 1),
			  isinf(pct) ? " stroke=\"var(--fg)\" stroke-width=\"2\"" : "");
		picture_text_escape(out, days[i]);
		if (isinf(pct))
			buf_add_str(out, ": broken</title></rect>");
		else
			buf_print(out, ": %+.1f %%</title></rect>", pct);
	}
	buf_add_str(out, "</svg>");
}
