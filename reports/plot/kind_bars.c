/* Horizontal bars: shares with their values, and where the time of runs went. */
#include <math.h>
#include <stdio.h>

#include "reports/plot/picture.h"
#include "reports/plot/picture_kind.h"
#include "reports/plot/picture_text.h"
#include "reports/plot/plot_pieces.h"
#include "reports/plot/plot_script.h"
#include "reports/plot/quantity.h"
#include "tuner/base/utf8.h"

enum {
	BARS = 20,
	PARTS = 6,
	NAME_LENGTH = 32,
	BAR_HEIGHT = 26,
	KEY_LETTER = 8,
	KEY_SAMPLE = 40,
	KEY_ROW = 20
};

/* ---- importance ---- */

static void write_bar(const struct picture_bar *b, size_t place, struct plot_script *s)
{
	char number[QUANTITY_TEXT_SIZE], text[QUANTITY_TEXT_SIZE + 4];
	double share = isfinite(b->share) ? b->share : 0;

	(void)snprintf(text, sizeof text, "%s %%",
		       quantity_print_number(100 * share, share < 0.0995 ? 1 : 0, number));
	plot_script_number(s, share);
	plot_script_number(s, (double)place);
	plot_script_name(s, b->name, NAME_LENGTH);
	plot_script_name(s, text, PICTURE_NAME_LENGTH);
	plot_script_row(s);
}

static enum asc_status write_importance(const struct picture *p, struct plot_script *s,
					struct asc_err *e)
{
	const struct picture_importance *m = p->data.importance;
	size_t n = m->n < BARS ? m->n : BARS;
	double most = 0.01;
	struct axis x, y;

	if (n == 0)
		return asc_err_set(e, ASC_INPUT, "no parameter has more than one value");
	for (size_t i = 0; i < n; i++)
		most = fmax(most, m->bars[i].share);
	axis_init(&x, (struct axis_range){0, most * 1.02}, 0, "");
	y = (struct axis){.low = (double)n - 0.4, .high = -0.6, .unit.factor = 1};
	s->height = 36 + BAR_HEIGHT * (unsigned)n;
	plot_script_axes(s, &x, &y);
	plot_script_label(s, "x", p->quantity ? p->quantity : "share of the variance of log time");
	s->given = m->n;
	s->shown = n;
	plot_script_begin(s, "BARS");
	for (size_t i = 0; i < n; i++)
		write_bar(&m->bars[i], i, s);
	plot_script_end(s);
	return ASC_OK;
}

const struct picture_ops importance_ops = {write_importance, piece_importance};

/* ---- phases ---- */

static double part_of(const struct picture_run *r, size_t k)
{
	return isfinite(r->parts[k]) && r->parts[k] > 0 ? r->parts[k] : 0;
}

static double total_of(const struct picture_run *r, size_t parts)
{
	double sum = 0;

	for (size_t k = 0; k < parts; k++)
		sum += part_of(r, k);
	return sum;
}

/* Part k of all runs: from, to, place, text where there is room for one. */
static void write_part(const struct picture_phases *h, size_t runs, size_t k, double scale,
		       struct plot_script *s)
{
	char text[QUANTITY_TEXT_SIZE];

	for (size_t i = 0; i < runs; i++) {
		double from = total_of(&h->runs[i], k), part = part_of(&h->runs[i], k);
		quantity_print(part, "s", 3, text);
		bool room = picture_text_width(text) + 8 < part * scale;
		plot_script_x(s, from);
		plot_script_x(s, from + part);
		plot_script_number(s, (double)i);
		plot_script_name(s, room ? text : "", PICTURE_NAME_LENGTH);
		plot_script_row(s);
	}
	plot_script_gap(s);
	plot_script_gap(s);
}

static void write_runs(const struct picture_phases *h, size_t runs, struct plot_script *s)
{
	char text[QUANTITY_TEXT_SIZE];

	plot_script_begin(s, "TOTALS");
	for (size_t i = 0; i < runs; i++) {
		double total = total_of(&h->runs[i], h->n_parts);
		plot_script_x(s, total);
		plot_script_number(s, (double)i);
		plot_script_name(s, quantity_print(total, "s", 3, text), PICTURE_NAME_LENGTH);
		plot_script_name(s, h->runs[i].name, NAME_LENGTH);
		plot_script_row(s);
	}
	plot_script_end(s);
}

/* gnuplot takes letters for a quarter wider than they are, and columns of the key as wide as the
 * longest name. Its rows need height. */
static void lay_key(const struct picture_phases *h, size_t runs, struct plot_script *s)
{
	size_t letters = 1;

	for (size_t k = 0; k < h->n_parts; k++)
		letters = utf8_count(h->parts[k]) > letters ? utf8_count(h->parts[k]) : letters;
	letters = letters < NAME_LENGTH ? letters : NAME_LENGTH;
	size_t columns = PICTURE_PLOT_WIDTH / (letters * KEY_LETTER + KEY_SAMPLE);
	size_t rows = columns ? (h->n_parts + columns - 1) / columns : h->n_parts;
	plot_script_line(s, "set key width %.1f", -0.2 * (double)letters);
	s->height = (unsigned)(64 + KEY_ROW * rows + BAR_HEIGHT * runs);
}

static void write_bars(const struct picture *p, size_t runs, double most, struct plot_script *s)
{
	const struct picture_phases *h = p->data.phases;
	struct axis x, y = {.low = (double)runs - 0.4, .high = -0.6, .unit.factor = 1};

	axis_init(&x, (struct axis_range){0, most}, 0, "s");
	x.low = 0;
	lay_key(h, runs, s);
	plot_script_axes(s, &x, &y);
	plot_script_line(s, "N_PARTS = %zu", h->n_parts);
	plot_script_texts(s, "PARTS", h->parts, h->n_parts, NAME_LENGTH);
	plot_script_begin(s, "PARTS");
	for (size_t k = 0; k < h->n_parts; k++)
		write_part(h, runs, k, PICTURE_PLOT_WIDTH / most, s);
	plot_script_end(s);
	write_runs(h, runs, s);
}

static enum asc_status write_phases(const struct picture *p, struct plot_script *s,
				    struct asc_err *e)
{
	const struct picture_phases *h = p->data.phases;
	size_t runs = h->n_runs < BARS ? h->n_runs : BARS;
	double most = 0;

	if (h->n_parts > PARTS)
		return asc_err_set(e, ASC_LIMIT, "%zu parts: at most %d can be told apart",
				   h->n_parts, PARTS);
	for (size_t i = 0; i < runs; i++)
		most = fmax(most, total_of(&h->runs[i], h->n_parts));
	if (!(most > 0))
		return asc_err_set(e, ASC_INPUT, "no time was recorded");
	s->given = h->n_runs;
	s->shown = runs;
	write_bars(p, runs, most, s);
	return ASC_OK;
}

const struct picture_ops phases_ops = {write_phases, piece_phases};
