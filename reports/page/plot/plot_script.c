#include "reports/page/plot/plot_script.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/picture_text.h"
#include "tuner/base/units.h"

void plot_script_init(struct plot_script *s)
{
	uint64_t random = 0;

	*s = (struct plot_script){0};
	/* A name that contained the mark would end its block, and the rest would be commands. */
	if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
		s->text.failed = true;
	(void)snprintf(s->mark, sizeof s->mark, "EOD_%016" PRIx64, random);
}

void plot_script_fini(struct plot_script *s)
{
	buf_fini(&s->text);
	buf_fini(&s->marks);
}

void plot_script_line(struct plot_script *s, const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof line) /* half a command could mean something else */
		s->text.failed = true;
	buf_add_str(&s->text, line);
	buf_add_char(&s->text, '\n');
}

/* ---- data ---- */

void plot_script_begin(struct plot_script *s, const char *block)
{
	s->rows = 0;
	buf_print(&s->text, "$%s << %s\n", block, s->mark);
}

void plot_script_number(struct plot_script *s, double value)
{
	if (isfinite(value))
		buf_print(&s->text, "%.17g ", value);
	else
		buf_add_str(&s->text, "NaN ");
}

void plot_script_x(struct plot_script *s, double value)
{
	plot_script_number(s, value / s->x.unit.factor);
}

void plot_script_y(struct plot_script *s, double value)
{
	plot_script_number(s, value / s->y.unit.factor);
}

void plot_script_point(struct plot_script *s, double x, double y)
{
	plot_script_x(s, x);
	plot_script_y(s, y);
	plot_script_row(s);
}

void plot_script_name(struct plot_script *s, const char *name, size_t length)
{
	struct buf clean = {0};

	picture_text_clean(&clean, name,
			   length < PICTURE_NAME_LENGTH ? length : PICTURE_NAME_LENGTH);
	buf_add_char(&s->text, '"');
	/* Within quotes a backslash starts an escape, and two quotes end the field. */
	for (const char *c = buf_str(&clean); *c; c++)
		if (*c == '\\')
			buf_add_str(&s->text, "\\\\");
		else if (*c == '"')
			buf_add_str(&s->text, "”");
		else
			buf_add_char(&s->text, *c);
	buf_add_str(&s->text, "\" ");
	s->text.failed |= clean.failed;
	buf_fini(&clean);
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
	buf_print(&s->text, "%s\n", s->mark);
}

void plot_script_texts(struct plot_script *s, const char *block, const char *const *texts, size_t n,
		       size_t length)
{
	buf_print(&s->text, "$TEXT_%s << %s\n", block, s->mark);
	for (size_t i = 0; i < n; i++) {
		picture_text_clean(&s->text, texts[i], length);
		buf_add_char(&s->text, '\n');
	}
	plot_script_end(s);
}

/* ---- axes ---- */

void plot_script_label(struct plot_script *s, const char *axis, const char *text)
{
	plot_script_texts(s, axis, &text, 1, PICTURE_NAME_LENGTH);
	plot_script_line(s, "set %slabel $TEXT_%s[1]", axis, axis);
}

const char *plot_script_unit(const struct picture *p)
{
	if (!p->unit)
		return "s";
	return units_has_prefix(p->unit) ? p->unit : "";
}

void plot_script_quantity(struct plot_script *s, const struct picture *p)
{
	const char *quantity = p->quantity ? p->quantity : "kernel time";
	bool told = !p->unit || !*p->unit || *plot_script_unit(p);
	char *text = told ? str_dup(quantity) : str_print("%s (%s)", quantity, p->unit);

	if (text)
		plot_script_label(s, "y", text);
	else
		s->text.failed = true;
	free(text);
}

/* Adds about six ticks at round values. Values of one digit stay apart even when they are printed
 * without decimals. */
static void add_log_ticks(struct plot_script *s, const char *name, const struct axis *a)
{
	static const struct {
		double decades; /* most that the digits are for */
		const char *digits;
	} steps[] = {{1.4, "1 2 3 5 7"}, {2.4, "1 2 5"}, {4, "1 3"}, {INFINITY, "1"}};
	double low = floor(log10(a->low / a->unit.factor));
	double high = ceil(log10(a->high / a->unit.factor)), every = 1;
	size_t i = 0;

	while (steps[i].decades < log10(a->high / a->low))
		i++;
	if (high - low > 8) /* of many decades, not each has a tick */
		every = ceil((high - low) / 8);
	plot_script_line(s, "set logscale %s; set %stics ()", name, name);
	plot_script_line(
		s, "do for [k=%.0f:%.0f:%.0f] { do for [d in '%s'] { set %stics add (d*10.**k) } }",
		low, high, every, steps[i].digits, name);
}

static void add_axis(struct plot_script *s, const char *name, const struct axis *a)
{
	const struct units_scale *u = &a->unit;
	const double days = (a->high - a->low) / 86400;
	/* Dates have the hour within a week, the day within half a year, else the month. */
	const char *dates = days < 7 ? "%d %b\\n%H:%M" : days < 175 ? "%d %b\\n%Y" : "%b\\n%Y";

	plot_script_line(s, "set %srange [%.17g:%.17g]", name, a->low / u->factor,
			 a->high / u->factor);
	if (a->scale == AXIS_DATES)
		plot_script_line(s, "set %stics time; set format %s \"%s\" timedate", name, name,
				 dates);
	else if (a->prefixes)
		plot_script_line(s, "set format %s '%%.0s %%c%s'", name, u->unit);
	else
		plot_script_line(s, "set format %s '%%.8g%s%s'", name, *u->unit ? " " : "",
				 u->unit);
	if (a->scale == AXIS_LOG)
		add_log_ticks(s, name, a);
}

void plot_script_axes(struct plot_script *s, const struct axis *x, const struct axis *y)
{
	s->x = *x;
	s->y = *y;
	add_axis(s, "x", x);
	add_axis(s, "y", y);
	/* Length of a dot: a line too short to be seen but for its round ends. */
	if (x->scale == AXIS_LOG)
		plot_script_line(s, "DOT(x) = x * 5e-4");
	else
		plot_script_line(s, "DOT(x) = %.17g", (x->high - x->low) / x->unit.factor * 1e-4);
}

/* ---- places ---- */

void plot_script_frame(struct plot_script *s, const struct plot_frame *f)
{
	s->frame = *f;
	plot_script_line(s, "set margins screen %.6f, screen %.6f, screen %.6f, screen %.6f",
			 (double)f->left / PICTURE_WIDTH, 1 - (double)f->right / PICTURE_WIDTH,
			 (double)f->bottom / s->height, 1 - (double)f->top / s->height);
}

double plot_frame_width(const struct plot_script *s)
{
	return (double)PICTURE_WIDTH - s->frame.left - s->frame.right;
}

double plot_frame_height(const struct plot_script *s)
{
	return (double)s->height - s->frame.top - s->frame.bottom;
}
