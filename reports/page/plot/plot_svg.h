/* The output of gnuplot's svg terminal: whether it is complete, and how it becomes a part of a
 * page.
 *
 * Colours become the variables of palette.h, ids start with the picture's; titles that gnuplot made
 * up, which would be shown as tooltips, groups without content and symbols of no point go. */
#ifndef ASCTUNE_PAGE_PLOT_PLOT_SVG_H
#define ASCTUNE_PAGE_PLOT_PLOT_SVG_H

#include "tuner/base/err.h"

/* Stands near the beginning of each picture in a file of its own. */
#define PLOT_SVG_MARK "<style>:root{"

struct buf;
struct picture;

/* ASC_CHILD unless there is one <svg and its end, which gnuplot writes after all plots. */
enum asc_status plot_svg_check(const char *raw, struct asc_err *e);

/* Appends the picture's inline SVG text, with the titles of its marks (plot_marks). */
void plot_svg_clean(const char *raw, const struct picture *p, const struct buf *marks,
		    struct buf *out);

/* Appends the picture as a file of its own, with its colours and those of a dark theme. The picture
 * has an svg. */
void plot_svg_print_file(const struct picture *p, struct buf *out);

#endif
