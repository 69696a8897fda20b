/* What gnuplot's svg terminal wrote: whether it is complete, and how it becomes a part of a page.
 *
 * Of the page it asks for the variables of palette.h; its ids start with the picture's. Points that
 * are filled circles become one path, what is not used goes: a tenth of the size. */
#ifndef ASCTUNE_PLOT_PLOT_SVG_H
#define ASCTUNE_PLOT_PLOT_SVG_H

#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct picture;

/* ASC_CHILD unless there is one <svg, its end, and as many points as were sent. */
enum asc_status plot_svg_check(const char *raw, size_t marks, struct asc_err *e);

/* Appends the picture's inline SVG text. */
void plot_svg_clean(const char *raw, const struct picture *p, struct buf *out);

#endif
