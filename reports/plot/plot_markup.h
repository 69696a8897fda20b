/* Reading gnuplot's SVG markup, and writing it with the page's colours and ids of its own. Texts
 * that have an `end` are not ended by a NUL there. */
#ifndef ASCTUNE_PLOT_PLOT_MARKUP_H
#define ASCTUNE_PLOT_PLOT_MARKUP_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

bool plot_markup_starts(const char *text, const char *end, const char *prefix);

/* As much as there is room for, ended by a NUL. */
void plot_markup_copy(char *copy, size_t size, const char *text, const char *end);

/* What stands at *at, which moves behind it: `part`; a number and what stands behind it. */
bool plot_markup_take(const char **at, const char *part);
bool plot_markup_take_real(const char **at, double *out, const char *behind);

/* Appends markup, not text: sentinel colours become variables, ids start with `id`. */
void plot_markup_add(struct buf *out, const char *text, const char *end, const char *id);

#endif
