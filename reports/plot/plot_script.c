#include "reports/plot/plot_script.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "reports/plot/picture.h"
#include "reports/plot/picture_text.h"
#include "reports/plot/quantity.h"

enum {
	LETTER_WIDTH = 9,
	TICK_WIDTH = 12,
	LABEL_HEIGHT = 26,
	LABEL_PLACE = 11,
	KEY_SAMPLE = 24,
	KEY_ROW = 20
};

void plot_script_init(struct plot_script *s)
{
	uint64_t random = 0;

	*s = (struct plot_script){0};
	if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
		s->text.failed = true; /* a mark that could be guessed is none */
	(void)snprintf(s->mark, sizeof s->mark, "EOD_%016" PRIx64, random);
}

void plot_script_fini(struct plot_script *s)
{
	buf_fini(&s->text);
}

void plot_script_line(struct plot_script *s, const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof line)
		s->text.failed = true;
	buf_add_str(&s->text, line);
	buf_add_char(&s->text, '\n');
}

/* ---- data ---- */

void plot_script_begin(struct plot_script *s, const char *block)
{
	s->rows = 0;
	s->block = block;
	buf_print(&s->text, "$%s << %s\n", block, s->mark);
}

void plot_script_number(struct plot_script *s, double value)
{
	if (isfinite(value))
		buf_print(&s->text, "%.17g ", value);
	else
		buf_add_str(&s->text, "NaN ");
}

/* Within quotes a backslash starts an escape, and two quotes end the field. */
static void add_quoted(struct buf *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\\')
			buf_add_str(out, "\\\\");
		else if (*text == '"')
			buf_add_str(out, "”");
		else
			buf_add_char(out, *text);
}

void plot_script_name_over(struct plot_script *s, const char *name, size_t length,
			   const char *below)
{
	struct buf clean = {0};

	picture_text_clean(&clean, name,
			   length < PICTURE_NAME_LENGTH ? length : PICTURE_NAME_LENGTH);
	buf_add_char(&s->text, '"');
	add_quoted(&s->text, buf_str(&clean));
	if (below)
		buf_print(&s->text, "\\n%s", below); /* an escape of gnuplot's */
	buf_add_str(&s->text, "\" ");
	s->text.failed |= clean.failed;
	buf_fini(&clean);
}

void plot_script_name(struct plot_script *s, const char *name, size_t length)
{
	plot_script_name_over(s, name, length, NULL);
}

void plot_script_row(struct plot_script *s)
{
	s->rows++;
	buf_add_char(&s->text, '\n');
}

void plot_script_gap(struct plot_script *s)
{
	buf_add_char(&s->text, '\n');
}

void plot_script_end(struct plot_script *s)
{
	if (s->rows == 0) {
		assert(s->n_empty < sizeof s->empty / sizeof *s->empty);
		s->empty[s->n_empty++] = s->block;
	}
	buf_print(&s->text, "%s\n", s->mark);
}

void plot_script_end_points(struct plot_script *s, bool in_key)
{
	if (s->rows)
		s->marks += s->rows + in_key;
	plot_script_end(s);
}

/* ---- labels ---- */

void plot_script_label(struct plot_script *s, const char *name, const char *text,
		       const char *options)
{
	struct buf clean = {0};
	size_t number = ++s->labels;

	picture_text_clean(&clean, text, PICTURE_NAME_LENGTH);
	buf_print(&s->text, "$TEXT%zu << %s\n%s\n%s\n", number, s->mark, buf_str(&clean), s->mark);
	plot_script_line(s, "set %s $TEXT%zu[1] %s", name, number, options);
	s->text.failed |= clean.failed;
	buf_fini(&clean);
}

void plot_script_label_x(struct plot_script *s, const char *text)
{
	char place[120];

	(void)snprintf(place, sizeof place,
		       "at graph 0.5, screen %.6f center front textcolor rgb C_fg",
		       (double)LABEL_PLACE / s->frame.height);
	plot_script_label(s, "label 1", text, place);
}

void plot_script_label_y(struct plot_script *s, const char *text)
{
	char place[120];

	(void)snprintf(place, sizeof place,
		       "at screen %.6f, graph 0.5 center rotate by 90 front textcolor rgb C_fg",
		       (double)LABEL_PLACE / s->frame.width);
	plot_script_label(s, "label 2", text, place);
}

static void add_ticks(struct plot_script *s, char name, const struct axis *a)
{
	buf_print(&s->text, "set %ctics (", name);
	for (size_t i = 0; i < a->n; i++)
		buf_print(&s->text, "%s'%s' %.17g", i ? ", " : "", a->ticks[i].text,
			  a->ticks[i].at);
	buf_add_str(&s->text, ")\n");
}

static void add_axis(struct plot_script *s, char name, const struct axis *a)
{
	plot_script_line(s, "set %crange [%.17g:%.17g]", name, a->low, a->high);
	if (a->log)
		plot_script_line(s, "set logscale %c", name);
	add_ticks(s, name, a);
}

void plot_script_frame(struct plot_script *s, const struct plot_frame *f, const struct axis *x,
		       const struct axis *y)
{
	s->frame = *f;
	plot_script_line(s, "set lmargin at screen %.6f", (double)f->left / f->width);
	plot_script_line(s, "set rmargin at screen %.6f", 1 - (double)f->right / f->width);
	plot_script_line(s, "set tmargin at screen %.6f", 1 - (double)f->top / f->height);
	plot_script_line(s, "set bmargin at screen %.6f", (double)f->bottom / f->height);
	plot_script_line(s, "set key at screen %.6f,%.6f", (double)f->left / f->width,
			 1 - 3.0 / f->height);
	if (x)
		add_axis(s, 'x', x);
	if (y)
		add_axis(s, 'y', y);
}

const char *plot_script_unit(const struct picture *p)
{
	if (!p->unit)
		return "s";
	return quantity_has_prefix(p->unit) ? p->unit : "";
}

void plot_script_quantity(struct plot_script *s, const struct picture *p)
{
	const char *quantity = p->quantity ? p->quantity : "kernel time";
	bool told = !p->unit || !*p->unit || *plot_script_unit(p);
	char *text = told ? str_dup(quantity) : str_print("%s (%s)", quantity, p->unit);

	if (text)
		plot_script_label_y(s, text);
	else
		s->text.failed = true;
	free(text);
}

double plot_frame_width(const struct plot_frame *f)
{
	return (double)f->width - f->left - f->right;
}

double plot_frame_height(const struct plot_frame *f)
{
	return (double)f->height - f->top - f->bottom;
}

unsigned plot_frame_left(const struct axis *y, bool labelled)
{
	return (unsigned)axis_widest(y) * LETTER_WIDTH + TICK_WIDTH + (labelled ? LABEL_HEIGHT : 4);
}

unsigned plot_frame_top(const struct plot_frame *f, size_t entries, size_t longest)
{
	double fit = plot_frame_width(f) / (double)(longest * LETTER_WIDTH + KEY_SAMPLE);
	size_t columns = fit > 1 ? (size_t)fit : 1;

	return (unsigned)((entries + columns - 1) / columns) * KEY_ROW + 10;
}
