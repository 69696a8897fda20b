/* Lines of text for a terminal, within its width and height.
 *
 * The caller owns a canvas: set the style, canvas_fini() at the end. All text on it is shown as
 * base/columns.h has it. */
#ifndef ASCTUNE_CMD_TERMINAL_CANVAS_H
#define ASCTUNE_CMD_TERMINAL_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/buf.h"
#include "tuner/cmd/terminal/ink.h"

enum { CANVAS_MAX_LINES = 64 };

struct canvas {
	size_t columns, rows; /* style: bounds; rows at most CANVAS_MAX_LINES */
	bool utf8, color;
	struct buf text; /* lines, separated by newlines */
	size_t n;
	size_t width[CANVAS_MAX_LINES]; /* width of each line */
};

void canvas_fini(struct canvas *c);
void canvas_clear(struct canvas *c);      /* keeps style and memory */
bool canvas_begin_line(struct canvas *c); /* begins a line; false: no room for another */

/* Puts text, cut to at most `most` columns and to the room left. */
void canvas_put(struct canvas *c, enum ink ink, const char *text, size_t most);

#endif
