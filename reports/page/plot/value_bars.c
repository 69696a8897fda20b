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

/* True when texts of so many letters, with a gap between two, fit below every `step`-th bar. */
static bool have_room(const struct value_bars *b, size_t letters, size_t step)
{
	const double room = (double)step * LEAST_WIDTH / (double)b->n;

	return room >= letter_width * (double)letters + GAP;
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

/* Begins a text below a bar; `attributes` of its element. */
static void begin_text(double at, int y, const char *attributes, struct buf *out)
{
	buf_print(out, "<text x=\"%.1f%%\" y=\"%d\" text-anchor=\"middle\"%s>", at, y, attributes);
}

void value_bars_print(const struct value_bars *b, struct buf *out)
{
	size_t letters = 0, highest = 0, digits = 1;

	for (size_t i = 0; i < b->n; i++) {
		struct buf clean = {0};

		picture_text_clean(&clean, b->list[i].name, NAME_LENGTH);
		const size_t own = (size_t)(picture_text_width(buf_str(&clean)) / letter_width) + 1;

		buf_fini(&clean);
		letters = own > letters ? own : letters;
		highest = b->list[i].n > highest ? b->list[i].n : highest;
	}
	for (; highest > 9; highest /= 10)
		digits++;
	/* Names before ratios before counts: what has no room is in the tooltips. */
	const bool all = have_room(b, letters, 1), half = have_room(b, letters, 2);
	const bool ratios = all && have_room(b, RATIO_LENGTH, 1);
	const bool counts = have_room(b, digits, 1);

	buf_add_str(out, "<svg role=\"img\" class=\"bars\" aria-label=\"");
	picture_text_escape(out, b->label);
	buf_add_str(out, "\">");
	for (size_t i = 0; i < b->n; i++) {
		const struct value_bar *v = &b->list[i];
		const double at = 100 * ((double)i + 0.5) / (double)b->n;
		const bool chosen = i == b->chosen;
		/* Every second name, the chosen one among them. */
		const bool second = i % 2 == (b->chosen < b->n ? b->chosen % 2 : 0);

		print_bar(v, at, chosen, out);
		if (all || chosen || (half && second)) {
			struct buf clean = {0};

			picture_text_clean(&clean, v->name, NAME_LENGTH);
			begin_text(at, FOOT + 16, chosen ? " class=\"on\"" : "", out);
			picture_text_escape(out, buf_str(&clean));
			buf_add_str(out, "</text>");
			out->failed |= clean.failed;
			buf_fini(&clean);
		}
		if (ratios) {
			begin_text(at, FOOT + 32, " class=\"m\"", out);
			if (isnan(v->ratio))
				buf_add_str(out, "–");
			else
				buf_print(out, v->ratio < 9.995 ? "%.2f×" : "%.0f×", v->ratio);
			buf_add_str(out, "</text>");
		}
		if (counts) {
			begin_text(at, FOOT + (ratios ? 48 : 32), " class=\"m\"", out);
			buf_print(out, "%zu</text>", v->n);
		}
	}
	buf_add_str(out, "</svg>");
}
