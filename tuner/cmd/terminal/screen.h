/* Lines at the end of a terminal that are drawn anew in place, ten times a second at most, while
 * messages scroll above them.
 *
 * The cursor is never hidden and no mode of the terminal is changed, so that there is nothing to
 * restore however the process ends: at its end, or when it is suspended, the line is ended and
 * what was drawn stays. The caller owns a struct screen: screen_open(), screen_close(); one is open
 * at a time. */
#ifndef ASCTUNE_CMD_TERMINAL_SCREEN_H
#define ASCTUNE_CMD_TERMINAL_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tuner/cmd/terminal/canvas.h"

struct screen {
	FILE *to;
	bool live;            /* the terminal can be drawn on */
	struct canvas canvas; /* lines to draw: filled between _begin and _draw */
	struct buf shown;     /* lines drawn last */
	size_t n, width[CANVAS_MAX_LINES];
	int64_t drawn_ns;
};

/* Opens a screen. Without a terminal, or on a dumb one, nothing is ever drawn. */
void screen_open(struct screen *s, FILE *to);
void screen_close(struct screen *s); /* erases the drawn lines */

/* True when it is time to draw (`now`: at once): then the canvas is empty and fits the terminal as
 * it is. False on one that is too small, and while another process group has the terminal. */
bool screen_begin(struct screen *s, bool now);
void screen_draw(struct screen *s); /* writes nothing when nothing has changed */
void screen_clear(struct screen *s);

/* Prints a line of a message to stderr, above what is drawn there. */
void screen_print_message(const char *prefix, const char *text);

/* Ends the line and leaves what was drawn. Safe in a signal handler. */
void screen_leave(void);

#endif
