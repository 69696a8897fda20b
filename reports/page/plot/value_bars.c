#include "reports/page/plot/value_bars.h"

#include <math.h>
#include <stdbool.h>

#include "reports/page/plot/picture_text.h"
#include "tuner/base/buf.h"

enum {
	LEAST_WIDTH = 150, /* pixels that the picture has across */
	GAP = 6,           /* least pixels between two texts */
	FOOT = 46,         /* foot of the bars, below the top */
	LEAST_HEIGHT = 4,  /* height of the best one's bar */
	NAME_LENGTH = 8,   /* characters of a value's name below its bar */
	RATIO_LENGTH = 5   /* letters of a ratio */
};

static const double letter_width = 7.5; /* pixels of a letter of 13, rather more */

/* Ratio from which all bars are equally high: twice the time is bad enough, and a value of ten
 * times would leave the others flat. */
static const double most = 2;

static size_t length_of(const char *name)
{
	struct buf clean = {0};

	picture_text_clean(&clean, name, NAME_LENGTH);
	const double width = picture_text_width(buf_str(&clean));

	buf_fini(&clean);
	return (size_t)(width / letter_width) + 1;
}

/* The letters of the longest name. */
static size_t longest_name(const struct value_bars *b)
{
	size_t longest = 0;

	for (size_t i = 0; i < b->n; i++)
		if (length_of(b->list[i].name) > longest)
			longest = length_of(b->list[i].name);
	return longest;
}

/* True when texts of so many letters, with a gap between two, fit below every `step`-th bar. */
static bool have_room(const struct value_bars *b, size_t letters, size_t step)
{
	const double room = (double)step * LEAST_WIDTH / (double)b->n;

	return room >= letter_width * (double)letters + GAP;
}

static void print_name(const char *name, double at, bool chosen, struct buf *out)
{
	struct buf clean = {0};

	picture_text_clean(&clean, name, NAME_LENGTH);
	buf_print(out, "<text x=\"%.1f%%\" y=\"%d\" text-anchor=\"middle\"%s>", at, FOOT + 16,
		  chosen ? " class=\"on\"" : "");
	picture_text_escape(out, buf_str(&clean));
	buf_add_str(out, "</text>");
	out->failed |= clean.failed;
	buf_fini(&clean);
}

/* Prints the bar of a value, or a dash on the foot where nothing passed with it. */
static void print_bar(const struct value_bar *v, double at, bool chosen, struct buf *out)
{
	const double part = fmin((v->ratio - 1) / (most - 1), 1);
	const double height = isnan(v->ratio) ? 2 : LEAST_HEIGHT + part * (FOOT - 2 * LEAST_HEIGHT);

	buf_print(out,
		  "<line x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"%d\" y2=\"%.1f\" stroke-width=\"9\" "
		  "stroke=\"var(--%s)\"><title>",
		  at, at, FOOT, FOOT - height,
		  isnan(v->ratio) ? "na"
		  : chosen        ? "good"
				  : "s1");
	picture_text_escape(out, v->label);
	buf_add_str(out, "</title></line>");
}

static void print_ratio(double ratio, double at, struct buf *out)
{
	buf_print(out, "<text x=\"%.1f%%\" y=\"%d\" text-anchor=\"middle\" class=\"m\">", at,
		  FOOT + 32);
	if (isnan(ratio))
		buf_add_str(out, "–");
	else
		buf_print(out, ratio < 9.995 ? "%.2f×" : "%.0f×", ratio);
	buf_add_str(out, "</text>");
}

static void print_count(size_t n, double at, int y, struct buf *out)
{
	buf_print(out, "<text x=\"%.1f%%\" y=\"%d\" text-anchor=\"middle\" class=\"m\">%zu</text>",
		  at, y, n);
}

static size_t longest_count(const struct value_bars *b)
{
	size_t highest = 0, digits = 1;

	for (size_t i = 0; i < b->n; i++)
		highest = b->list[i].n > highest ? b->list[i].n : highest;
	for (; highest > 9; highest /= 10)
		digits++;
	return digits;
}

void value_bars_print(const struct value_bars *b, struct buf *out)
{
	const size_t letters = longest_name(b);
	const bool all = have_room(b, letters, 1), half = have_room(b, letters, 2);
	const bool ratios = all && have_room(b, RATIO_LENGTH, 1);
	const bool counts = have_room(b, longest_count(b), 1);

	buf_add_str(out, "<svg role=\"img\" class=\"bars\" aria-label=\"");
	picture_text_escape(out, b->label);
	buf_add_str(out, "\">");
	for (size_t i = 0; i < b->n; i++) {
		const double at = 100 * ((double)i + 0.5) / (double)b->n;
		const bool chosen = i == b->chosen;
		/* Every second name, the chosen one among them. */
		const bool second = i % 2 == (b->chosen < b->n ? b->chosen % 2 : 0);

		print_bar(&b->list[i], at, chosen, out);
		if (all || chosen || (half && second))
			print_name(b->list[i].name, at, chosen, out);
		if (ratios)
			print_ratio(b->list[i].ratio, at, out);
		if (counts)
			print_count(b->list[i].n, at, FOOT + (ratios ? 48 : 32), out);
	}
	buf_add_str(out, "</svg>");
}
