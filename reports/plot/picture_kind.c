#include "reports/plot/picture_kind.h"

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
	buf_add_str(&all, k->piece);
	buf_add_str(&all, "unset output\n");
	all.failed |= s->text.failed;
	buf_fini(&s->text);
	s->text = all;
	return buf_check(&s->text, e);
}
