/* The part of history_sheet.h that writes nights: one block for each way in which they are drawn.
 */
#include "reports/plot/history_sheet.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reports/plot/picture.h"
#include "reports/plot/plot_script.h"
#include "reports/plot/reduce.h"

enum { EDGE_PIXELS = 7, POINTS = 2400 };

struct night_block {
	const char *name;
	double edge; /* where the points are put; NaN: at their values */
	bool (*holds)(const struct history_sheet *t, const struct picture_night *n);
};

static bool is_plain(const struct history_sheet *t, const struct picture_night *n)
{
	return n->value >= t->low && n->value <= t->high && !n->left_out;
}

static bool is_left_out(const struct history_sheet *t, const struct picture_night *n)
{
	return n->value >= t->low && n->value <= t->high && n->left_out;
}

static bool is_above(const struct history_sheet *t, const struct picture_night *n)
{
	return n->value > t->high;
}

static bool is_below(const struct history_sheet *t, const struct picture_night *n)
{
	return n->value < t->low;
}

static void write_block(const struct history_sheet *t, const struct night_block *b,
			const bool *keep, bool in_key)
{
	plot_script_begin(t->s, b->name);
	for (size_t i = 0; i < t->h->n_nights; i++) {
		const struct picture_night *n = &t->h->nights[i];
		if (!keep[i] || !b->holds(t, n))
			continue;
		plot_script_number(t->s, n->at);
		plot_script_number(t->s, isfinite(b->edge) ? b->edge : n->value);
		plot_script_row(t->s);
	}
	plot_script_end_points(t->s, in_key);
}

static void write_blocks(const struct history_sheet *t, const bool *keep)
{
	double edge = EDGE_PIXELS / plot_frame_height(&t->frame);
	double top = axis_place(&t->y, t->high) + edge;

	write_block(t, &(struct night_block){"NIGHTS", NAN, is_plain}, keep, true);
	write_block(t, &(struct night_block){"LEFT_OUT", NAN, is_left_out}, keep, true);
	write_block(t, &(struct night_block){"ABOVE", axis_value(&t->y, top), is_above}, keep,
		    true);
	bool above = t->s->rows > 0; /* one entry of the key is enough for both */
	write_block(t, &(struct night_block){"BELOW", axis_value(&t->y, edge), is_below}, keep,
		    !above);
	if (above)
		plot_script_line(t->s, "BELOW_TITLE = ''");
}

enum asc_status history_write_nights(const struct history_sheet *t, struct asc_err *e)
{
	size_t n = t->h->n_nights;
	double *places = calloc(2 * n + 1, sizeof *places);
	struct reduction r = {0};

	if (!places)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		places[i] = axis_place(&t->x, t->h->nights[i].at);
		places[n + i] = t->h->nights[i].value;
		t->s->given += isfinite(places[i]) && isfinite(places[n + i]);
	}
	enum asc_status status = reduce_columns(places, places + n, n, POINTS, &r, e);
	if (status == ASC_OK)
		write_blocks(t, r.keep);
	t->s->shown = r.kept;
	plot_script_line(t->s, "POINT = %.2f", r.kept > 700 ? 0.25 : 0.32);
	reduction_fini(&r);
	free(places);
	return status;
}
