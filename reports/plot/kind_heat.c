/* The best value for each pair of values of two parameters, its number in each cell. */
#include <math.h>
#include <stdio.h>

#include "reports/plot/palette.h"
#include "reports/plot/picture.h"
#include "reports/plot/picture_kind.h"
#include "reports/plot/plot_pieces.h"
#include "reports/plot/plot_script.h"
#include "tuner/base/utf8.h"

enum {
	COLUMNS = 40,
	ROWS = 25,
	NAME_LENGTH = 20,
	LETTER = 9,
	CELL_HEIGHT = 30,
	LEAST_HEIGHT = 200,
	MOST_HEIGHT = 640,
	PLOT_WIDTH = 640 /* beside the names of rows and the colours, about */
};

struct grid {
	const struct picture_heat *h;
	size_t columns, rows; /* columns and rows that are drawn */
};

static double cell(const struct grid *g, size_t column, size_t row)
{
	double v = g->h->cells[row * g->h->n_columns + column];

	return isfinite(v) && v > 0 ? v : NAN;
}

/* Writes the valid cells, value by value, or the others. */
static void write_cells(const struct grid *g, const char *block, bool valid, double factor,
			struct plot_script *s)
{
	plot_script_begin(s, block);
	for (size_t row = 0; row < g->rows; row++)
		for (size_t column = 0; column < g->columns; column++) {
			double v = cell(g, column, row);
			if (isnan(v) == valid)
				continue;
			plot_script_number(s, (double)column);
			plot_script_number(s, (double)row);
			plot_script_number(s, v / factor);
			plot_script_row(s);
		}
	plot_script_end(s);
}

static void write_names(const char *block, const char *const *names, size_t n,
			struct plot_script *s)
{
	plot_script_begin(s, block);
	for (size_t i = 0; i < n; i++) {
		plot_script_number(s, (double)i);
		plot_script_name(s, names[i], NAME_LENGTH);
		plot_script_row(s);
	}
	plot_script_end(s);
}

/* Names of columns that are wider than these are turned. */
static void lay_out(const struct grid *g, struct plot_script *s)
{
	size_t letters = 0, names = 22;

	for (size_t i = 0; i < g->columns; i++)
		letters = (size_t)fmax((double)letters, (double)utf8_count(g->h->columns[i]));
	letters = letters < NAME_LENGTH ? letters : NAME_LENGTH;
	if (letters * LETTER > PLOT_WIDTH / g->columns) {
		plot_script_line(s, "set xtics rotate by 90 right");
		names = letters * LETTER + 8;
	}
	size_t height = g->rows * CELL_HEIGHT + names + 46;
	s->height = (unsigned)fmin(fmax((double)height, LEAST_HEIGHT), MOST_HEIGHT);
	bool room = PLOT_WIDTH / g->columns > 40 && (s->height - names - 46) / g->rows > 16;
	plot_script_line(s, "NUMBERS = %d", room);
}

static void write_ramp(struct plot_script *s)
{
	const struct palette_stop *r = palette_ramp;

	buf_add_str(&s->text, "set palette defined (");
	for (;; r++) {
		buf_print(&s->text, "%g '#%06x'", r->place, r->color);
		if (r->place >= 1)
			break;
		buf_add_str(&s->text, ", ");
	}
	buf_add_str(&s->text, ")\n");
	plot_script_line(s, "INK_LIGHT = '#%06x'; INK_DARK = '#%06x'", (unsigned)PALETTE_INK_LIGHT,
			 (unsigned)PALETTE_INK_DARK);
}

/* Colours by the logarithm, their ticks in the cells' unit, which the label says. */
static double write_colors(const struct picture *p, struct axis_range values, struct plot_script *s)
{
	struct quantity_scale u = quantity_scale(values.low, plot_script_unit(p));
	double low = values.low / u.factor, high = values.high / u.factor;
	struct axis colors;
	char text[120];

	axis_init_log(&colors, (struct axis_range){low, high}, 0, "");
	plot_script_axis(s, "cb", &colors);
	write_ramp(s);
	plot_script_line(s, "INK_TURN = %.17g; DIGITS = '%%.%df'",
			 axis_value(&colors, palette_ink_turn), low < 10 ? 2 : low < 100);
	(void)snprintf(text, sizeof text, "%.60s%s%s%s", p->quantity ? p->quantity : "best time",
		       *u.unit ? " (" : "", u.unit, *u.unit ? ")" : "");
	plot_script_label(s, "cb", text);
	return u.factor;
}

static void write_all(const struct grid *g, const struct picture *p, struct axis_range values,
		      struct plot_script *s)
{
	struct axis x, y;

	axis_init(&x, (struct axis_range){-0.5, (double)g->columns - 0.5}, 0, "");
	axis_init(&y, (struct axis_range){-0.5, (double)g->rows - 0.5}, 0, "");
	plot_script_axes(s, &x, &y);
	lay_out(g, s);
	plot_script_label(s, "x", g->h->x_name);
	plot_script_label(s, "y", g->h->y_name);
	double factor = write_colors(p, values, s);
	write_cells(g, "CELLS", true, factor, s);
	write_cells(g, "INVALID", false, factor, s);
	write_names("COLUMNS", g->h->columns, g->columns, s);
	write_names("ROWS", g->h->rows, g->rows, s);
}

static enum asc_status write_heat(const struct picture *p, struct plot_script *s, struct asc_err *e)
{
	const struct picture_heat *h = p->data.heat;
	struct grid g = {.h = h,
			 .columns = h->n_columns < COLUMNS ? h->n_columns : COLUMNS,
			 .rows = h->n_rows < ROWS ? h->n_rows : ROWS};
	struct axis_range values = axis_range_none;

	for (size_t row = 0; row < g.rows; row++)
		for (size_t column = 0; column < g.columns; column++)
			axis_range_add(&values, cell(&g, column, row));
	if (g.columns == 0 || g.rows == 0 || !(values.low <= values.high))
		return asc_err_set(e, ASC_INPUT, "no pair of values passed");
	s->given = h->n_columns * h->n_rows;
	s->shown = g.columns * g.rows;
	write_all(&g, p, values, s);
	return ASC_OK;
}

const struct picture_ops heat_ops = {write_heat, piece_heat};
