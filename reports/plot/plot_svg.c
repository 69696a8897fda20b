#include "reports/plot/plot_svg.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/plot/picture.h"
#include "reports/plot/picture_text.h"
#include "reports/plot/plot_markup.h"
#include "tuner/base/buf.h"

enum { SYMBOLS = 15, CIRCLE = 6 /* filled */ };

struct cleaning {
	const char *id;
	struct buf body, points; /* points: of the path in hand */
	bool used[SYMBOLS];
};

/* A line of gnuplot's, without the newline. */
struct line {
	const char *text;
	size_t n;
};

static struct line next_line(const char **at)
{
	struct line l = {*at, strcspn(*at, "\n")};

	*at += l.n + (l.text[l.n] == '\n');
	while (l.n && strchr(" \t", *l.text)) {
		l.text++;
		l.n--;
	}
	while (l.n && strchr(" \t\r", l.text[l.n - 1]))
		l.n--;
	return l;
}

/* Characters of a text: gnuplot has escaped & and <, which is not enough for "]]>". */
static void add_text(struct buf *out, const char *text, const char *end)
{
	for (; text < end; text++)
		if (*text == '>')
			buf_add_str(out, "&gt;");
		else
			buf_add_char(out, *text);
}

/* ---- lines ---- */

/* The last "</text>" of a line: one within a name is escaped, so there is no other. */
static const char *find_part(const struct line *l, const char *part)
{
	return memmem(l->text, l->n, part, strlen(part));
}

static void add_line(struct cleaning *c, const struct line *l)
{
	static const char open[] = "<text>", close[] = "</text>";
	const char *start = find_part(l, open), *stop = find_part(l, close);
	const char *end = l->text + l->n;

	if (start && stop) {
		start += sizeof open - 1;
		plot_markup_add(&c->body, l->text, start, c->id);
		add_text(&c->body, start, stop);
		plot_markup_add(&c->body, stop, end, c->id);
	} else {
		plot_markup_add(&c->body, l->text, end, c->id);
	}
	buf_add_char(&c->body, '\n');
}

/* A group that closes where it opened goes. */
static bool drop_group(struct cleaning *c, const struct line *l)
{
	struct buf *b = &c->body;

	if (l->n != 4 || memcmp(l->text, "</g>", 4) != 0 || b->len < 2)
		return false;
	size_t start = b->len - 1;
	while (start && b->data[start - 1] != '\n')
		start--;
	const char *last = b->data + start;
	if (!plot_markup_starts(last, b->data + b->len, "<g ") ||
	    strchr(last, '>') != b->data + b->len - 2)
		return false;
	b->len = start;
	b->data[start] = '\0';
	return true;
}

/* ---- points ---- */

struct mark {
	int symbol;
	double x, y, scale;
	char color[32]; /* as gnuplot writes it */
};

static bool take_color(const char **at, struct mark *m)
{
	size_t n = strcspn(*at, "'");

	if (n >= sizeof m->color)
		return false;
	plot_markup_copy(m->color, sizeof m->color, *at, *at + n);
	*at += n;
	return plot_markup_take(at, "'/>");
}

static bool parse_mark(const struct line *l, struct mark *m)
{
	char copy[200];
	const char *at = copy;
	double symbol;

	if (l->n >= sizeof copy)
		return false;
	plot_markup_copy(copy, sizeof copy, l->text, l->text + l->n);
	if (!plot_markup_take(&at, "<use xlink:href='#gpPt") ||
	    !plot_markup_take_real(&at, &symbol, "' transform='translate(") ||
	    !plot_markup_take_real(&at, &m->x, ",") ||
	    !plot_markup_take_real(&at, &m->y, ") scale(") ||
	    !plot_markup_take_real(&at, &m->scale, ")' color='") || !take_color(&at, m) ||
	    !(symbol >= 0 && symbol < SYMBOLS))
		return false;
	m->symbol = (int)symbol;
	return true;
}

static void end_points(struct cleaning *c)
{
	if (c->points.len) {
		buf_add(&c->body, c->points.data, c->points.len);
		buf_add_str(&c->body, "'/>\n");
	}
	c->body.failed |= c->points.failed;
	buf_clear(&c->points);
}

/* Lines of no length with round ends, one after the other. */
static void add_circle(struct cleaning *c, const struct mark *m, struct mark *last)
{
	bool same = c->points.len && last->scale - m->scale == 0.0 &&
		    strcmp(m->color, last->color) == 0;

	if (!same) {
		end_points(c);
		buf_add_str(&c->points, "<path stroke='");
		plot_markup_add(&c->points, m->color, m->color + strlen(m->color), c->id);
		buf_print(&c->points, "' stroke-width='%.2f' d='", 2 * m->scale);
		*last = *m;
	}
	buf_print(&c->points, "M%.1f %.1fh0", m->x, m->y);
}

static void clean_body(struct cleaning *c, const char *at)
{
	struct mark mark, last = {0};

	while (*at) {
		struct line l = next_line(&at);
		bool is_mark = parse_mark(&l, &mark);
		if (is_mark && mark.symbol == CIRCLE) {
			add_circle(c, &mark, &last);
			continue;
		}
		end_points(c);
		if (is_mark)
			c->used[mark.symbol] = true;
		if (l.n && !drop_group(c, &l) &&
		    !plot_markup_starts(l.text, l.text + l.n, "</svg>"))
			add_line(c, &l);
	}
	end_points(c);
}

/* ---- symbols ---- */

/* The number behind `part`, -1 where there is none. */
static int symbol_number(const struct line *l, const char *part)
{
	const char *at = find_part(l, part);
	char *end;

	if (!at)
		return -1;
	at += strlen(part);
	long n = strtol(at, &end, 10);
	return end != at && n >= 0 && n < SYMBOLS ? (int)n : -1;
}

/* A symbol may be made of another one, which stands before it. */
static void mark_needed(struct cleaning *c, const char *defs)
{
	for (int round = 0; round < 3; round++)
		for (const char *at = defs; *at && strncmp(at, "</defs>", 7) != 0;) {
			struct line l = next_line(&at);
			int id = symbol_number(&l, " id='gpPt");
			int base = symbol_number(&l, "xlink:href='#gpPt");
			if (id >= 0 && c->used[id] && base >= 0)
				c->used[base] = true;
		}
}

static void add_symbols(struct cleaning *c, const char *defs, struct buf *out)
{
	bool dot = strstr(buf_str(&c->body), "-gpDot'") != NULL, any = dot;

	mark_needed(c, defs);
	for (int i = 0; i < SYMBOLS; i++)
		any = any || c->used[i];
	if (!any)
		return;
	buf_add_str(out, "<defs>\n");
	for (const char *at = defs; *at && strncmp(at, "</defs>", 7) != 0;) {
		struct line l = next_line(&at);
		int id = symbol_number(&l, " id='gpPt");
		if ((id >= 0 && c->used[id]) || (dot && find_part(&l, " id='gpDot'"))) {
			plot_markup_add(out, l.text, l.text + l.n, c->id);
			buf_add_char(out, '\n');
		}
	}
	buf_add_str(out, "</defs>\n");
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

void plot_svg_clean(const char *raw, const struct picture *p, struct buf *out)
{
	static const char close[] = "</defs>";
	struct cleaning c = {.id = p->id};
	const char *defs = strstr(raw, "<defs>"), *body = strstr(raw, close);

	if (!defs || !body)
		return; /* plot_svg_check() has seen them */
	add_head(p, raw, out);
	clean_body(&c, body + sizeof close - 1);
	add_symbols(&c, defs, out);
	buf_add_str(out, "<g>\n");
	buf_add(out, buf_str(&c.body), c.body.len);
	buf_add_str(out, "</svg>\n");
	out->failed |= c.body.failed;
	buf_fini(&c.body);
	buf_fini(&c.points);
}
