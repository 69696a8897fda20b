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
	LETTER = 9,
	BAR_HEIGHT = 26,
	LEAST_LEFT = 40,
	SAMPLE = 34
};

static const double row_share = 0.8; /* of a bar's height: a row of the key */

/* Of the names' widest. */
static unsigned left_margin(size_t widest)
{
	size_t letters = widest < NAME_LENGTH ? widest : NAME_LENGTH;
	unsigned left = (unsigned)letters * LETTER + 16;

	return left > LEAST_LEFT ? left : LEAST_LEFT;
}

static size_t wider(size_t widest, const char *name)
{
	size_t n = utf8_count(name);

	return n > widest ? n : widest;
}

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
	size_t n = m->n < BARS ? m->n : BARS, widest = 0;
	double most = 0.01;

	if (n == 0)
		return asc_err_set(e, ASC_INPUT, "no parameter has more than one value");
	for (size_t i = 0; i < n; i++) {
		widest = wider(widest, m->bars[i].name);
		most = fmax(most, m->bars[i].share);
	}
	struct axis x = {.low = 0, .high = most * 1.02}, y = {.low = (double)n - 0.4, .high = -0.6};
	struct plot_frame f = {.width = picture_width(p),
			       .height = picture_height(p, 36 + BAR_HEIGHT * (unsigned)n),
			       .left = left_margin(widest),
			       .right = 70,
			       .top = 6,
			       .bottom = 24};
	plot_script_frame(s, &f, &x, &y);
	plot_script_label_x(s, p->quantity ? p->quantity : "share of the variance of log time");
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
		plot_script_number(s, from);
		plot_script_number(s, from + part);
		plot_script_number(s, (double)i);
		plot_script_name(s, room ? text : "", PICTURE_NAME_LENGTH);
		plot_script_row(s);
	}
	plot_script_gap(s);
	plot_script_gap(s);
}

/* The key: a square and a name for each part, in rows above the bars. */
struct key {
	double at[PARTS]; /* pixels */
	size_t row[PARTS];
	size_t rows;
};

static struct key lay_key(const struct picture_phases *h, double width)
{
	struct key key = {.rows = 1};
	double at = 0;

	for (size_t k = 0; k < h->n_parts; k++) {
		struct buf name = {0};
		picture_text_clean(&name, h->parts[k], NAME_LENGTH);
		double need = picture_text_width(buf_str(&name)) + SAMPLE;
		buf_fini(&name);
		if (at > 0 && at + need > width) {
			at = 0;
			key.rows++;
		}
		key.at[k] = at + 6;
		key.row[k] = key.rows - 1;
		at += need;
	}
	return key;
}

static void write_samples(const struct picture_phases *h, const struct key *key, double scale,
			  struct plot_script *s)
{
	plot_script_begin(s, "SAMPLES");
	for (size_t k = 0; k < h->n_parts; k++) {
		double up = (double)(key->rows - key->row[k]);
		plot_script_number(s, key->at[k] / scale);
		plot_script_number(s, -0.3 - row_share * up);
		plot_script_name(s, h->parts[k], NAME_LENGTH);
		plot_script_row(s);
		plot_script_gap(s);
		plot_script_gap(s);
	}
	plot_script_end_points(s, false);
}

static void write_runs(const struct picture_phases *h, size_t runs, struct plot_script *s)
{
	char text[QUANTITY_TEXT_SIZE];

	plot_script_begin(s, "RUNS");
	for (size_t i = 0; i < runs; i++) {
		plot_script_number(s, (double)i);
		plot_script_name(s, h->runs[i].name, NAME_LENGTH);
		plot_script_row(s);
	}
	plot_script_end(s);
	plot_script_begin(s, "TOTALS");
	for (size_t i = 0; i < runs; i++) {
		double total = total_of(&h->runs[i], h->n_parts);
		plot_script_number(s, total);
		plot_script_number(s, (double)i);
		plot_script_name(s, quantity_print(total, "s", 3, text), PICTURE_NAME_LENGTH);
		plot_script_row(s);
	}
	plot_script_end(s);
}

static size_t widest_run(const struct picture_phases *h, size_t runs)
{
	size_t widest = 0;

	for (size_t i = 0; i < runs; i++)
		widest = wider(widest, h->runs[i].name);
	return widest;
}

static void write_bars(const struct picture *p, size_t runs, double most, struct plot_script *s)
{
	const struct picture_phases *h = p->data.phases;
	struct plot_frame f = {.width = picture_width(p),
			       .left = left_margin(widest_run(h, runs)),
			       .right = 78,
			       .top = 4,
			       .bottom = 40};
	struct key key = lay_key(h, plot_frame_width(&f) + f.right);
	double rows = (double)runs + 0.2 + row_share * (double)key.rows;
	struct axis x, y = {.low = (double)runs - 0.4, .high = (double)runs - 0.4 - rows};
	double scale = plot_frame_width(&f) / most;

	f.height = picture_height(p, 44 + (unsigned)(BAR_HEIGHT * rows));
	axis_init(&x, (struct axis_range){0, most}, 0, f.width < 600 ? 4 : 8, "s");
	plot_script_frame(s, &f, &x, &y);
	plot_script_line(s, "N_PARTS = %zu", h->n_parts);
	plot_script_begin(s, "PARTS");
	for (size_t k = 0; k < h->n_parts; k++)
		write_part(h, runs, k, scale, s);
	plot_script_end(s);
	write_samples(h, &key, scale, s);
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
