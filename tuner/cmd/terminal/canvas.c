#include "tuner/cmd/terminal/canvas.h"

#include "tuner/base/columns.h"

void canvas_fini(struct canvas *c)
{
	buf_fini(&c->text);
}

void canvas_clear(struct canvas *c)
{
	buf_clear(&c->text);
	c->n = 0;
}

bool canvas_begin_line(struct canvas *c)
{
	if (c->n >= c->rows || c->n >= CANVAS_MAX_LINES)
		return false;
	if (c->n > 0)
		buf_add_char(&c->text, '\n');
	c->width[c->n++] = 0;
	return true;
}

void canvas_put(struct canvas *c, enum ink ink, const char *text, size_t most)
{
	bool inked = c->color && ink != INK_PLAIN;
	size_t room = c->columns - c->width[c->n - 1]; /* columns left on the line */

	if (inked)
		buf_add_str(&c->text, ink_begin(ink));
	c->width[c->n - 1] += columns_add(&c->text, text, most < room ? most : room, c->utf8);
	if (inked)
		buf_add_str(&c->text, INK_END);
}
