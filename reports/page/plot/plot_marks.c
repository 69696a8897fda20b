#include "reports/page/plot/plot_marks.h"

#include <math.h>

#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_text.h"
#include "reports/page/plot/plot_script.h"

static const double dot_pixels = 11; /* width of a stroke, as in page.css */

static double x_pixel(const struct plot_script *s, double x)
{
	return s->frame.left + axis_place(&s->x, x) * plot_frame_width(s);
}

static double y_pixel(const struct plot_script *s, double y)
{
	return s->frame.top + (1 - axis_place(&s->y, y)) * plot_frame_height(s);
}

/* Adds a stroke from one height to another; one of no length is a dot. */
static void add_stroke(struct plot_script *s, double x, const double y[2], const char *text)
{
	buf_print(&s->marks, "<path d=\"M%.0f %.0f", x, y[0]);
	if (y[1] - y[0] < 1) /* a path of no length is not drawn: its round ends need a tenth */
		buf_add_str(&s->marks, "h.1");
	else
		buf_print(&s->marks, "V%.0f", y[1]);
	buf_add_str(&s->marks, "\"><title>");
	picture_text_escape(&s->marks, text);
	buf_add_str(&s->marks, "</title></path>\n");
}

void plot_marks_add(struct plot_script *s, double x, double y, const char *text)
{
	const double at = y_pixel(s, y);

	add_stroke(s, x_pixel(s, x), (const double[]){at, at}, text);
}

void plot_marks_add_column(struct plot_script *s, double x, double pixels, const char *text)
{
	buf_print(&s->marks, "<g stroke-width=\"%.0f\">", pixels);
	add_stroke(s, x_pixel(s, x),
		   (const double[]){s->frame.top, s->frame.top + plot_frame_height(s)}, text);
	buf_add_str(&s->marks, "</g>\n");
}

struct column { /* dots that share a title */
	size_t from, to;
	double left, y[2]; /* pixels */
};

static void add_column(struct plot_script *s, const struct plot_dots *d, const struct column *c,
		       double right)
{
	struct buf text = {0};

	if (c->from == c->to)
		return;
	d->tell(d->data, c->from, c->to, &text);
	add_stroke(s, (c->left + right) / 2, c->y, buf_str(&text));
	s->marks.failed |= text.failed;
	buf_fini(&text);
}

void plot_marks_add_dots(struct plot_script *s, const struct plot_dots *d)
{
	struct column c = {0};
	double right = 0, x, y;
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->place(d->data, i, &x, &y);
	/* Dots so close that their strokes lie on each other share one title: only the uppermost
	 * stroke could be pointed at. */
	const double wide = n > PICTURE_TITLES ? dot_pixels : 0;

	for (size_t i = 0; i < d->n; i++) {
		if (!d->place(d->data, i, &x, &y))
			continue;
		const double across = x_pixel(s, x), up = y_pixel(s, y);

		if (c.from == c.to || across - c.left >= wide) {
			add_column(s, d, &c, right);
			c = (struct column){i, i, across, {up, up}};
		}
		c.to = i + 1;
		c.y[0] = fmin(c.y[0], up);
		c.y[1] = fmax(c.y[1], up);
		right = across;
	}
	add_column(s, d, &c, right);
}

void plot_marks_print(const struct buf *marks, struct buf *out)
{
	if (marks->len == 0)
		return;
	buf_add_str(out, "<g class=\"marks\">\n");
	buf_add(out, marks->data, marks->len);
	buf_add_str(out, "</g>\n");
}
