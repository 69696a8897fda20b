/* The program that draws pictures: gnuplot 5.4 or newer, as child processes.
 *
 * Scripts are made of our own text; names from outside are data in them. A child has 20 s, may
 * write 20 MB, starts no process of its own, and its picture is taken only when it is complete. */
#ifndef ASCTUNE_PAGE_PLOT_PLOTTER_H
#define ASCTUNE_PAGE_PLOT_PLOTTER_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct picture;

struct plotter {
	char *program;    /* absolute path; NULL: no pictures can be drawn */
	char version[32]; /* "5.4 patchlevel 4"; "" without */
	char reason[256]; /* why there are none, in words; "" when there is a program */
	const char
		*remedy;  /* shell's line that brings one, on Debian and Ubuntu; NULL: none would */
	int64_t limit_ns; /* for each child; 20 s */
	size_t children;  /* at the same time; as many as processors that this process may use */
};

/* Looks for `program` (NULL: gnuplot, in PATH) and asks its version. That there is none is no
 * failure: `reason` says so. */
enum asc_status plotter_open(struct plotter *g, const char *program, struct asc_err *e);
void plotter_close(struct plotter *g);

/* Draws all: each has an svg or a reason afterwards. Fails without memory and when no process can
 * be started. */
enum asc_status pictures_draw(const struct plotter *g, struct picture *list, size_t n,
			      struct asc_err *e);

#endif
