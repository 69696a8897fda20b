#include "reports/plot/plot_markup.h"

#include <stdlib.h>
#include <string.h>

#include "reports/plot/palette.h"
#include "tuner/base/buf.h"

bool plot_markup_starts(const char *text, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);

	return (size_t)(end - text) >= n && memcmp(text, prefix, n) == 0;
}

bool plot_markup_take(const char **at, const char *part)
{
	size_t n = strlen(part);

	if (strncmp(*at, part, n) != 0)
		return false;
	*at += n;
	return true;
}

bool plot_markup_take_real(const char **at, double *out, const char *behind)
{
	char *end;

	*out = strtod(*at, &end);
	if (end == *at)
		return false;
	*at = end;
	return plot_markup_take(at, behind);
}

void plot_markup_copy(char *copy, size_t size, const char *text, const char *end)
{
	size_t n = (size_t)(end - text) < size ? (size_t)(end - text) : size - 1;

	memcpy(copy, text, n);
	copy[n] = '\0';
}

/* `rgb( 11,   0,   1)` and `rgb(11,0,1)`: bytes of it, 0 when it is no colour of the palette. */
static size_t find_color(const char *text, const char *end, const struct palette_color **out)
{
	double red, green, blue;
	char copy[32];
	const char *at = copy;

	if (!plot_markup_starts(text, end, "rgb("))
		return 0;
	plot_markup_copy(copy, sizeof copy, text, end);
	if (!plot_markup_take(&at, "rgb(") || !plot_markup_take_real(&at, &red, ",") ||
	    !plot_markup_take_real(&at, &green, ",") || !plot_markup_take_real(&at, &blue, ")"))
		return 0;
	double color = red * 65536 + green * 256 + blue;
	for (const struct palette_color *c = palette; c->name; c++)
		if (c->sentinel - color == 0.0) {
			*out = c;
			return (size_t)(at - copy);
		}
	return 0;
}

/* In the texts to write, @ stands for the picture's id. */
static const struct change {
	const char *from, *to;
} changes[] = {
	{" stroke=\"none\" fill=\"rgb(12,0,1)\"" /* C_over of style.gp */,
	 " fill=\"var(--fg)\" stroke=\"var(--bg)\" stroke-width=\"3\" paint-order=\"stroke\""},
	{"xlink:href='#", "href='#@-"},
	{"url(#", "url(#@-"},
	{" id=\"gnuplot_canvas\"", ""},
	{" font-family=\"system-ui,sans-serif\"", ""},
	{" font-size=\"13.00\"", ""},
	{" class=\"gridline\"", ""},
	{" id='gp", " id='@-gp"},
	{"='black'", "='var(--fg)'"},
	{"=\"black\"", "=\"var(--fg)\""},
	{"=\"white\"", "=\"var(--bg)\""},
	{"=\"gray\"", "=\"var(--mut)\""},
	{NULL, NULL}};

static void add_changed(struct buf *out, const char *to, const char *id)
{
	for (; *to; to++)
		if (*to == '@')
			buf_add_str(out, id);
		else
			buf_add_char(out, *to);
}

void plot_markup_add(struct buf *out, const char *text, const char *end, const char *id)
{
	const struct palette_color *color;

	while (text < end) {
		const struct change *c = changes;
		size_t n = find_color(text, end, &color);
		while (c->from && !plot_markup_starts(text, end, c->from))
			c++;
		if (n) {
			buf_print(out, "var(--%s)", color->name);
			text += n;
		} else if (c->from) {
			add_changed(out, c->to, id);
			text += strlen(c->from);
		} else {
			buf_add_char(out, *text++);
		}
	}
}
