/* Contrast of what stands on what, in both themes: text 4.5 to 1, marks 3 to 1 (WCAG 2.1, 1.4.3 and
 * 1.4.11).
 * covers: palette.c */
#include "reports/page/plot/palette.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"

/* Relative luminance (WCAG 2.1). */
static double channel(unsigned value)
{
	double c = value / 255.0;

	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(unsigned color)
{
	return 0.2126 * channel(color >> 16 & 255) + 0.7152 * channel(color >> 8 & 255) +
	       0.0722 * channel(color & 255);
}

static double contrast(double a, double b)
{
	return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

static double of(const char *name, bool dark)
{
	for (const struct palette_color *c = palette; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return luminance(dark ? c->dark : c->light);
	tap_ok(false, "there is a colour %s", name);
	return 0;
}

/* Every pair that pieces of script or the page use. */
static const struct pair {
	const char *front, *back;
	double least;
} pairs[] = {
	{"fg", "bg", 4.5},   {"mut", "bg", 4.5},  {"s2", "bg", 4.5}, {"bad", "bg", 4.5},
	{"good", "bg", 4.5}, {"bg", "s1", 4.5},   {"bg", "s2", 4.5}, {"bg", "s3", 4.5},
	{"bg", "mut", 4.5},  {"fg", "band", 4.5}, {"fg", "na", 4.5}, {"s1", "bg", 3},
	{"s3", "bg", 3},     {"s1", "band", 3},   {"s2", "band", 3}, {"mut", "band", 3},
	{"bad", "band", 3},  {"good", "band", 3}, {NULL, NULL, 0},
};

static void test_pairs(void)
{
	for (const struct pair *p = pairs; p->front; p++)
		for (int dark = 0; dark < 2; dark++) {
			double c = contrast(of(p->front, dark), of(p->back, dark));
			tap_ok(c >= p->least, "%s on %s, %s: %.1f", p->front, p->back,
			       dark ? "dark" : "light", c);
		}
}

/* Black on white is 21, and grey #767676 on white 4.54: the figures of WCAG's own text. */
static void test_formula(void)
{
	tap_real(contrast(luminance(0), luminance(0xffffff)), 21, 1e-9, "black on white");
	tap_real(contrast(luminance(0x767676), luminance(0xffffff)), 4.54, 0.005, "grey on white");
}

static unsigned mixed(unsigned a, unsigned b, double part)
{
	unsigned color = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		double from = a >> shift & 255, to = b >> shift & 255;
		color |= (unsigned)lround(from + part * (to - from)) << shift;
	}
	return color;
}

static unsigned ramp(double place)
{
	const struct palette_stop *s = palette_ramp;

	while (s[1].place < place)
		s++;
	return mixed(s->color, s[1].color, (place - s->place) / (s[1].place - s->place));
}

static void test_ramp(void)
{
	double least = 21, before = -1;
	bool rising = true;

	for (int i = 0; i <= 200; i++) {
		double l = luminance(ramp(i / 200.0));
		unsigned ink = i / 200.0 < palette_ink_turn ? PALETTE_INK_LIGHT : PALETTE_INK_DARK;
		least = fmin(least, contrast(l, luminance(ink)));
		rising = rising && l > before;
		before = l;
	}
	tap_ok(least >= 4.5, "ink on the ramp: %.2f at least", least);
	tap_ok(rising, "its lightness rises everywhere");
}

static void test_variables(void)
{
	struct buf b = {0};

	palette_print_light(&b);
	tap_has(buf_str(&b), "--fg:#1a1a1f;--mut:#5b5b66;", "variables of the light theme");
	buf_clear(&b);
	palette_print_dark(&b);
	tap_has(buf_str(&b), "--bg:#15161a;", "variables of the dark theme");
	buf_fini(&b);
}

int main(void)
{
	test_formula();
	test_pairs();
	test_ramp();
	test_variables();
	return tap_done();
}
