/* A script for gnuplot: our own commands, and names from outside as data.
 *
 * Names stand in data blocks only, cleaned, between double quotes; the blocks end at a mark that
 * nobody can guess. The caller owns the storage: plot_script_init(), plot_script_fini(). A failed
 * allocation is noted in `text`, which buf_check() reports. */
#ifndef ASCTUNE_PAGE_PLOT_PLOT_SCRIPT_H
#define ASCTUNE_PAGE_PLOT_PLOT_SCRIPT_H

#include <stddef.h>

#include "reports/page/plot/axis.h"
#include "tuner/base/buf.h"

struct picture;

struct plot_frame { /* margins around the plot, in pixels */
	unsigned left, right, top, bottom;
};

struct plot_script {
	struct buf text;
	char mark[24];   /* ends a data block */
	size_t rows;     /* of the block in hand */
	unsigned height; /* of the picture, in pixels */
	struct plot_frame frame;
	struct axis x, y;
	size_t shown, given; /* as in struct picture */
	struct buf marks;    /* titles of marks (plot_marks) */
};

void plot_script_init(struct plot_script *s);
void plot_script_fini(struct plot_script *s);

/* A line of our own text: no name from outside. */
void plot_script_line(struct plot_script *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Ranges, scales and tick labels of x and y; the values written later are in their units. */
void plot_script_axes(struct plot_script *s, const struct axis *x, const struct axis *y);

/* Data: rows of numbers and names. A block without rows is not drawn, nor is its entry of the key.
 */
void plot_script_begin(struct plot_script *s, const char *block); /* "NIGHTS" */
void plot_script_number(struct plot_script *s, double value);     /* as it is */
void plot_script_x(struct plot_script *s, double value);          /* in the axis's unit */
void plot_script_y(struct plot_script *s, double value);
void plot_script_name(struct plot_script *s, const char *name, size_t length);
void plot_script_row(struct plot_script *s);                       /* ends it */
void plot_script_point(struct plot_script *s, double x, double y); /* a row of two values */
void plot_script_gap(struct plot_script *s);                       /* ends a line of rows */
void plot_script_end(struct plot_script *s);

/* Texts that may be from outside: `$TEXT_BLOCK[1]` and on, for titles in the key. */
void plot_script_texts(struct plot_script *s, const char *block, const char *const *texts, size_t n,
		       size_t length);

/* The label of an axis ("x", "y", "cb"), which may be from outside. */
void plot_script_label(struct plot_script *s, const char *axis, const char *text);

/* The label of y as a request says it: "kernel time", or "clock (MHz)" where ticks have no unit. */
void plot_script_quantity(struct plot_script *s, const struct picture *p);

/* The unit as ticks show it: "" for one that takes no prefix. */
const char *plot_script_unit(const struct picture *p);

/* Margins for a kind that has to know where on paper a value lies; the height is set. All others
 * leave them to gnuplot. */
void plot_script_frame(struct plot_script *s, const struct plot_frame *f);

/* Pixels of the plot within its frame. */
double plot_frame_width(const struct plot_script *s);
double plot_frame_height(const struct plot_script *s);

#endif
