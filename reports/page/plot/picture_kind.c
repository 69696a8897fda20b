#include "reports/page/plot/picture_kind.h"

#include <stdlib.h>

#include "reports/page/plot/palette.h"
#include "reports/page/plot/picture.h"
#include "reports/page/plot/plot_pieces.h"
#include "reports/page/plot/plot_script.h"

static const struct {
	const char *name;
	const struct picture_ops *ops;
} kinds[] = {
#define X(code, name, member) {name, &member##_ops},
	PICTURE_KIND_LIST(X)
#undef X
};

const char *picture_kind_name(enum picture_kind kind)
{
	return kinds[kind].name;
}

void picture_fini(struct picture *p)
{
	free(p->svg);
	free(p->reason);
	p->svg = p->reason = NULL;
}

static void add_head(const struct picture *p, const char *file, unsigned height, struct buf *out)
{
	buf_print(out, "W = %d; H = %u; NAME = '%s'; OUT = '%s'\n", PICTURE_WIDTH, height, p->id,
		  file);
	for (const struct palette_color *c = palette; c->name; c++)
		buf_print(out, "C_%s = '#%06x'\n", c->name, c->sentinel);
	buf_add_str(out, piece_style);
}

enum asc_status picture_script(const struct picture *p, const char *file, struct plot_script *s,
			       struct asc_err *e)
{
	struct buf all = {0};
	const struct picture_ops *k = kinds[p->kind].ops;

	s->height = PICTURE_HEIGHT;
	enum asc_status status = k->write(p, s, e);
	if (status)
		return status;
	add_head(p, file, s->height, &all);
	buf_add_str(&all, buf_str(&s->text));
	buf_add_str(&all, k->piece);
	buf_add_str(&all, "unset output\n");
	all.failed |= s->text.failed || s->marks.failed;
	buf_fini(&s->text);
	s->text = all;
	return buf_check(&s->text, e);
}
