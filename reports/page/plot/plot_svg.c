/* From gnuplot's output to a part of the page.
 *
 * The text is checked for its beginning and its end. Then its head is written anew, with title and
 * description; of its definitions those that are used; and its body, in one pass: text is escaped
 * once more, markup gets the page's variables for colours and the picture's id before its own,
 * empty groups and made-up titles go. Nothing of it is parsed as XML: gnuplot writes one dialect,
 * and a test reads what comes of it. */
#include "reports/page/plot/plot_svg.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/plot/palette.h"
#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_text.h"
#include "reports/page/plot/plot_marks.h"
#include "tuner/base/buf.h"

/* ---- whether it is complete ---- */

static bool stands_once(const char *raw, const char *part)
{
	const char *first = strstr(raw, part);

	return first && !strstr(first + 1, part);
}

enum asc_status plot_svg_check(const char *raw, struct asc_err *e)
{
	static const char end[] = "</svg>";
	size_t n = strlen(raw);

	while (n && strchr(" \n\r\t", raw[n - 1]))
		n--;
	if (!*raw)
		return asc_err_set(e, ASC_CHILD, "gnuplot wrote an empty picture");
	if (!stands_once(raw, "<svg") || !stands_once(raw, "<defs>") ||
	    !stands_once(raw, "</defs>") || strstr(raw, "</defs>") < strstr(raw, "<defs>"))
		return asc_err_set(e, ASC_CHILD, "gnuplot wrote something that is no picture");
	if (n < sizeof end - 1 || memcmp(raw + n - (sizeof end - 1), end, sizeof end - 1) != 0)
		return asc_err_set(e, ASC_CHILD, "gnuplot's picture is cut short");
	return ASC_OK;
}

/* ---- markup ---- */

/* `rgb( 11,   0,   1)` and `rgb(11,0,1)`: its bytes, 0 when it is no colour of the palette. */
static size_t find_color(const char *text, const struct palette_color **out)
{
	unsigned long color = 0, part;
	char *end;

	if (strncmp(text, "rgb(", 4) != 0)
		return 0;
	const char *at = text + 4;
	for (int i = 0; i < 3; i++, at = end + 1) {
		part = strtoul(at, &end, 10);
		if (end == at || part > 255 || *end != (i < 2 ? ',' : ')'))
			return 0;
		color = color << 8 | part;
	}
	for (*out = palette; (*out)->name; ++*out)
		if ((*out)->sentinel == color)
			return (size_t)(at - text);
	return 0;
}

/* Replacements in the picture's text; @ stands for the picture's id. */
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
	{" stroke-linecap=\"round\" stroke-linejoin=\"round\"", ""}, /* of the outermost group */
	{" id='gp", " id='@-gp"},
	{"='black'", "='var(--fg)'"},
	{"=\"black\"", "=\"var(--fg)\""},
	{"=\"white\"", "=\"var(--bg)\""},
	{"=\"gray\"", "=\"var(--mut)\""},
	{"\t", ""},
	{NULL, NULL}};

static bool starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Adds the markup that begins at `text` in the page's colours and ids; returns how many bytes of
 * it. */
static size_t add_markup(struct buf *out, const char *text, const char *id)
{
	const struct palette_color *color;
	const struct change *c = changes;
	size_t n = find_color(text, &color);

	if (n) {
		buf_print(out, "var(--%s)", color->name);
		return n;
	}
	while (c->from && !starts(text, c->from))
		c++;
	if (!c->from) {
		buf_add_char(out, *text);
		return 1;
	}
	for (const char *to = c->to; *to; to++)
		if (*to == '@')
			buf_add_str(out, id);
		else
			buf_add_char(out, *to);
	return strlen(c->from);
}

/* Characters up to the next tag: gnuplot has escaped & and <, which is not enough for "]]>". */
static size_t add_text(struct buf *out, const char *text)
{
	size_t n = strcspn(text, "<");

	for (const char *at = text; at < text + n; at++)
		if (*at == '>')
			buf_add_str(out, "&gt;");
		else
			buf_add_char(out, *at);
	return n;
}

/* Finds the end of what is left out at `text`: a title that gnuplot made up, or a group without
 * content; `text` itself: nothing is left out. */
static const char *skip_idle(const char *text, const char *made_up)
{
	if (starts(text, made_up)) {
		const char *close = strstr(text, "</title>");

		return close ? close + sizeof "</title>" - 1 : text;
	}
	const char *open = starts(text, "<g ") ? strchr(text, '>') : NULL;
	const char *content = open ? open + 1 + strspn(open + 1, " \t\n") : text;

	return open && starts(content, "</g>") ? content + sizeof "</g>" - 1 : text;
}

static void add_body(struct buf *out, const char *text, const char *end, const char *id)
{
	static const char *const tags[] = {"<text>", "<title>", NULL}; /* text follows, no markup */
	char made_up[120];

	(void)snprintf(made_up, sizeof made_up, "<title>%.80s_plot_", id);
	while (text < end) {
		const char *next = skip_idle(text, made_up);
		const char *const *tag = tags;

		if (next != text) {
			text = next;
			continue;
		}
		while (*tag && !starts(text, *tag))
			tag++;
		if (*tag) {
			buf_add_str(out, *tag);
			text += strlen(*tag);
			text += add_text(out, text);
		} else {
			text += add_markup(out, text, id);
		}
	}
}

/* ---- all ---- */

static void add_head(const struct picture *p, const char *raw, struct buf *out)
{
	const char *box = strstr(raw, "viewBox=\"");
	size_t n = box ? strcspn(box + 9, "\"") : 0;

	buf_print(out,
		  "<svg role=\"img\" aria-labelledby=\"%s-t %s-d\" viewBox=\"%.*s\" "
		  "font-family=\"system-ui,sans-serif\" font-size=\"13\">\n<title id=\"%s-t\">",
		  p->id, p->id, (int)n, box ? box + 9 : "", p->id);
	picture_text_escape(out, p->title);
	buf_print(out, "</title>\n<desc id=\"%s-d\">", p->id);
	picture_text_escape(out, p->description);
	buf_add_str(out, "</desc>\n");
}

enum { SYMBOLS = 32 }; /* gnuplot defines 16 for its points */

struct symbol { /* a line that defines one */
	const char *line;
	size_t len;
	bool used;
};

/* True for a text that refers to the symbol of a line: "#gpPt6'" for "id='gpPt6'". */
static bool refers(const char *text, size_t n, const struct symbol *s)
{
	const char *id = memmem(s->line, s->len, "id='gp", 6);
	char link[40];

	if (!id)
		return true;
	const int len = snprintf(link, sizeof link, "#%.*s'", (int)strcspn(id + 4, "'"), id + 4);

	return (size_t)len >= sizeof link || memmem(text, n, link, (size_t)len);
}

/* Finds the lines that define symbols, and which of them the body or a used one refers to: each
 * refers to earlier ones. */
static size_t find_symbols(const char *defs, const char *end, const char *body,
			   struct symbol list[SYMBOLS])
{
	size_t n = 0;

	for (const char *at = defs; at < end && n < SYMBOLS; at += list[n++].len)
		list[n] = (struct symbol){at, strcspn(at, "\n") + 1, false};
	for (size_t i = n; i-- > 0;) {
		list[i].used = refers(body, strlen(body), &list[i]);
		for (size_t k = i + 1; k < n && !list[i].used; k++)
			list[i].used = list[k].used && refers(list[k].line, list[k].len, &list[i]);
	}
	return n;
}

/* Adds the symbols of points, where any is drawn; filters for boxed labels, which there are none
 * of, stand behind them. */
static void add_symbols(struct buf *out, const char *defs, const char *body, const char *id)
{
	const char *filter = strstr(defs, "<filter");
	const char *end = filter && filter < body ? filter : strstr(defs, "</defs>");
	struct symbol list[SYMBOLS];

	if (!strstr(body, "xlink:href='#gp")) /* no point is drawn: no definitions at all */
		return;
	const size_t n = find_symbols(defs, end, body, list);

	for (size_t i = 0; i < n; i++)
		if (list[i].used && list[i].line + list[i].len <= end)
			add_body(out, list[i].line, list[i].line + list[i].len, id);
	buf_add_str(out, "</defs>\n");
}

void plot_svg_clean(const char *raw, const struct picture *p, const struct buf *marks,
		    struct buf *out)
{
	static const char close[] = "</defs>", last[] = "</svg>";
	const char *defs = strstr(raw, "<defs>"), *body = strstr(raw, close) + sizeof close - 1;
	const char *end = raw + strlen(raw);

	while (strncmp(end, last, sizeof last - 1) != 0)
		end--;
	add_head(p, raw, out);
	add_symbols(out, defs, body, p->id);
	buf_add_str(out, "<g stroke-linecap=\"round\" stroke-linejoin=\"round\">");
	add_body(out, body, end, p->id);
	plot_marks_print(marks, out);
	buf_add_str(out, end);
}

void plot_svg_print_file(const struct picture *p, struct buf *out)
{
	static const char tag[] = "<svg ";
	const char *head = p->svg + sizeof tag - 1, *rest = strchr(head, '>') + 1;

	buf_print(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" %.*s\n" PLOT_SVG_MARK,
		  (int)(rest - head), head);
	palette_print_light(out);
	buf_add_str(out, "background:var(--bg)}@media(prefers-color-scheme:dark){:root{");
	palette_print_dark(out);
	buf_print(out, "}}</style>%s\n", rest);
}
