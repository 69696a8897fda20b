#include "reports/plot/picture_kind.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "reports/plot/palette.h"
#include "reports/plot/picture.h"
#include "reports/plot/plot_pieces.h"
#include "reports/plot/plot_script.h"

static const struct picture_ops *const kinds[] = {
#define X(code, name, member) &member##_ops,
	PICTURE_KIND_LIST(X)
#undef X
};

unsigned picture_width(const struct picture *p)
{
	return p->width ? p->width : PICTURE_WIDTH;
}

unsigned picture_height(const struct picture *p, unsigned own)
{
	return p->height ? p->height : own;
}

static void add_head(const struct picture *p, const char *file, const struct plot_frame *f,
		     struct buf *out)
{
	buf_print(out, "reset\nW = %u; H = %u; NAME = '%s'; OUT = '%s'\n", f->width, f->height,
		  p->id, file);
	for (const struct palette_color *c = palette; c->name; c++)
		buf_print(out, "C_%s = '#%06x'\n", c->name, c->sentinel);
	buf_add_str(out, piece_style);
}

/* Whether a line draws a block that has no rows, which would be an error: `$BLOCK using ...`. */
static bool draws_nothing(const struct plot_script *s, const char *line)
{
	line += strcspn(line, "$\n");
	for (size_t i = 0; *line == '$' && i < s->n_empty; i++) {
		size_t n = strlen(s->empty[i]);
		if (strncmp(line + 1, s->empty[i], n) == 0 && line[n + 1] == ' ')
			return true;
	}
	return false;
}

/* The elements of a piece's plot command stand on lines of their own, which end with ", \" but for
 * the last: so they are joined again. */
static void add_elements(const struct plot_script *s, const char *line, struct buf *out)
{
	const char *before = "plot ";

	for (size_t n; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		if (n == 0 || draws_nothing(s, line))
			continue;
		bool more = n > 3 && memcmp(line + n - 3, ", \\", 3) == 0;
		buf_add_str(out, before);
		buf_add(out, line, more ? n - 3 : n);
		before = ", \\\n";
	}
	buf_add_char(out, '\n');
}

static void add_piece(const struct plot_script *s, const char *piece, struct buf *out)
{
	static const char plot[] = "plot \\\n";
	const char *at = strstr(piece, plot);

	assert(at);
	buf_add(out, piece, (size_t)(at - piece));
	add_elements(s, at + sizeof plot - 1, out);
}

enum asc_status picture_script(const struct picture *p, const char *file, struct plot_script *s,
			       struct asc_err *e)
{
	struct buf all = {0};
	const struct picture_ops *k = kinds[p->kind];
	enum asc_status status = k->write(p, s, e);

	if (status)
		return status;
	add_head(p, file, &s->frame, &all);
	buf_add_str(&all, buf_str(&s->text));
	add_piece(s, k->piece, &all);
	buf_add_str(&all, "unset output\n");
	all.failed |= s->text.failed;
	buf_fini(&s->text);
	s->text = all;
	return buf_check(&s->text, e);
}
