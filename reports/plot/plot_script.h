/* A script for gnuplot: our own commands, and names from outside as data.
 *
 * Names stand in data blocks only, cleaned, between double quotes; the blocks end at a mark that
 * nobody can guess. Set up with plot_script_init(), freed with plot_script_fini(); running out of
 * memory is kept in `text`. */
#ifndef ASCTUNE_PLOT_PLOT_SCRIPT_H
#define ASCTUNE_PLOT_PLOT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/plot/axis.h"
#include "tuner/base/buf.h"

struct picture;

struct plot_frame { /* in pixels */
	unsigned width, height;
	unsigned left, right, top, bottom; /* margins around the plot */
};

struct plot_script {
	struct buf text;
	char mark[24];         /* ends a data block */
	size_t labels;         /* names of data blocks given out */
	size_t marks;          /* points that the picture holds when it is complete */
	size_t rows;           /* of the block in hand */
	const char *block;     /* its name, a literal */
	const char *empty[16]; /* blocks without rows: what would draw them is left out */
	size_t n_empty;
	size_t shown, given; /* as in struct picture */
	struct plot_frame frame;
};

void plot_script_init(struct plot_script *s);
void plot_script_fini(struct plot_script *s);

/* A line of our own text: no name from outside. */
void plot_script_line(struct plot_script *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Data: rows of numbers and names. */
void plot_script_begin(struct plot_script *s, const char *block); /* "NIGHTS" */
void plot_script_number(struct plot_script *s, double value);
void plot_script_name(struct plot_script *s, const char *name, size_t length);
void plot_script_name_over(struct plot_script *s, const char *name, size_t length,
			   const char *below); /* with a line of our own below */
void plot_script_row(struct plot_script *s);   /* ends it */
void plot_script_gap(struct plot_script *s);   /* ends a line or a polygon of rows */
void plot_script_end(struct plot_script *s);

/* Ends a block whose rows are drawn as points, with a sample in the key or not. */
void plot_script_end_points(struct plot_script *s, bool in_key);

/* `set NAME "text" OPTIONS` where the text may be from outside. */
void plot_script_label(struct plot_script *s, const char *name, const char *text,
		       const char *options);

/* Below and left of the plot, whose frame is set. */
void plot_script_label_x(struct plot_script *s, const char *text);
void plot_script_label_y(struct plot_script *s, const char *text);

/* The label of y as a request says it: "kernel time", or "clock (MHz)" where ticks have no unit. */
void plot_script_quantity(struct plot_script *s, const struct picture *p);

/* Margins, ranges and ticks; either axis may be NULL where the kind has none. */
void plot_script_frame(struct plot_script *s, const struct plot_frame *f, const struct axis *x,
		       const struct axis *y);

/* The unit as ticks show it, in a command: "" for one that takes no prefix. */
const char *plot_script_unit(const struct picture *p);

/* Pixels of the plot within the frame. */
double plot_frame_width(const struct plot_frame *f);
double plot_frame_height(const struct plot_frame *f);

/* Margin on the left that the y axis' ticks and label need. */
unsigned plot_frame_left(const struct axis *y, bool labelled);

/* Margin at the top that a key of so many entries needs, the longest of so many letters; the
 * frame's other widths are set. */
unsigned plot_frame_top(const struct plot_frame *f, size_t entries, size_t longest);

#endif
