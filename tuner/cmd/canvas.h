/* Lines of text for a terminal, none wider than it is and no more than it has room for.
 *
 * The caller owns a canvas: set the style, canvas_fini() at the end. Whatever is put on it is shown
 * as text (base/columns.h). */
#ifndef ASCTUNE_CMD_CANVAS_H
#define ASCTUNE_CMD_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/buf.h"

enum { CANVAS_MAX_LINES = 64 };

enum ink { INK_PLAIN, INK_STRONG, INK_GOOD, INK_BAD };

struct canvas {
	size_t columns, rows; /* style: at most, and at most CANVAS_MAX_LINES rows */
	bool utf8, color;
	struct buf text; /* the lines, a newline between two */
	size_t n;
	size_t width[CANVAS_MAX_LINES]; /* columns of each line */
};

void canvas_fini(struct canvas *c);
void canvas_clear(struct canvas *c);        /* keeps style and memory */
bool canvas_begin_line(struct canvas *c);   /* false: no room for another, nothing is to be put */
size_t canvas_room(const struct canvas *c); /* columns left on the line */

/* Cut to at most `most` columns and to what is left. */
void canvas_put(struct canvas *c, enum ink ink, const char *text, size_t most);

#endif
