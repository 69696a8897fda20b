/* Tooltips of a picture's marks: invisible strokes over them, each with a title in words and units.
 * They are laid on what gnuplot has drawn, so the script has a frame of its own, and its axes are
 * set. */
#ifndef ASCTUNE_PAGE_PLOT_PLOT_MARKS_H
#define ASCTUNE_PAGE_PLOT_PLOT_MARKS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct plot_script;

/* Adds the title of a mark at a place of the axes. */
void plot_marks_add(struct plot_script *s, double x, double y, const char *text);

/* Adds the title of all that stands at x, `pixels` wide, over the whole height. */
void plot_marks_add_column(struct plot_script *s, double x, double pixels, const char *text);

struct plot_dots { /* dots in order of x; borrowed */
	const void *data;
	size_t n;
	/* Finds the place of a dot; false: it is not drawn. */
	bool (*place)(const void *data, size_t i, double *x, double *y);
	/* Appends the title of the dots from..to-1; dots that are not drawn do not count. */
	void (*tell)(const void *data, size_t from, size_t to, struct buf *out);
};

/* Adds a title to each dot; of more than PICTURE_TITLES dots, to each column of dots. */
void plot_marks_add_dots(struct plot_script *s, const struct plot_dots *d);

/* Appends the strokes to a picture that is drawn, before its end; class "marks". */
void plot_marks_print(const struct buf *marks, struct buf *out);

#endif
