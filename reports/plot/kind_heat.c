/* The best value for each pair of values of two parameters, its number in each cell. */
#include <math.h>
#include <stdio.h>

#include "reports/plot/palette.h"
#include "reports/plot/picture.h"
#include "reports/plot/picture_kind.h"
#include "reports/plot/picture_text.h"
#include "reports/plot/plot_pieces.h"
#include "reports/plot/plot_script.h"
#include "reports/plot/quantity.h"
#include "tuner/base/utf8.h"

enum {
	COLUMNS = 40,
	ROWS = 25,
	NAME_LENGTH = 20,
	LETTER = 9,
	CELL_HEIGHT = 30,
	LEAST_HEIGHT = 200,
	MOST_HEIGHT = 640,
	LEGEND = 110,
	LABEL = 26
};

struct grid {
	const struct picture_heat *h;
	size_t columns, rows; /* that are drawn */
	struct axis_range values;
	struct axis colors;
	struct quantity_scale scale;
	int decimals;
	bool numbers; /* there is room for them */
};

static double cell(const struct grid *g, size_t column, size_t row)
{
	double v = g->h->cells[row * g->h->n_columns + column];

	return isfinite(v) && v > 0 ? v : NAN;
}

static size_t widest(const char *const *names, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		size_t length = utf8_count(names[i]);
		most = length > most ? length : most;
	}
	return most < NAME_LENGTH ? most : NAME_LENGTH;
}

/* ---- cells ---- */

enum cell_kind { CELL_ALL, CELL_DARK, CELL_LIGHT, CELL_INVALID };

static bool holds(const struct grid *g, double v, enum cell_kind kind)
{
	if (kind == CELL_INVALID || isnan(v))
		return kind == CELL_INVALID && isnan(v);
	bool light = palette_ink(axis_place(&g->colors, v)) == PALETTE_INK_LIGHT;
	return kind == CELL_ALL || (g->numbers && light == (kind == CELL_LIGHT));
}

static void write_cell(const struct grid *g, double v, enum cell_kind kind, struct plot_script *s)
{
	char text[QUANTITY_TEXT_SIZE];

	if (kind == CELL_ALL)
		plot_script_number(s, v);
	else if (kind != CELL_INVALID)
		plot_script_name(s, quantity_print_number(v / g->scale.factor, g->decimals, text),
				 PICTURE_NAME_LENGTH);
	plot_script_row(s);
}

static void write_cells(const struct grid *g, const char *block, enum cell_kind kind,
			struct plot_script *s)
{
	plot_script_begin(s, block);
	for (size_t row = 0; row < g->rows; row++)
		for (size_t column = 0; column < g->columns; column++) {
			double v = cell(g, column, row);
			if (!holds(g, v, kind))
				continue;
			plot_script_number(s, (double)column);
			plot_script_number(s, (double)row);
			write_cell(g, v, kind, s);
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

/* ---- frame ---- */

static void find_values(struct grid *g, const char *unit)
{
	g->values = axis_range_none;
	for (size_t row = 0; row < g->rows; row++)
		for (size_t column = 0; column < g->columns; column++)
			axis_range_add(&g->values, cell(g, column, row));
	g->scale = quantity_scale(g->values.low, unit);
	double least = g->values.low / g->scale.factor;
	g->decimals = least < 10 ? 2 : least < 100 ? 1 : 0;
}

static unsigned own_height(const struct grid *g, unsigned bottom)
{
	size_t height = g->rows * CELL_HEIGHT + bottom + 20;

	if (height < LEAST_HEIGHT)
		return LEAST_HEIGHT;
	return height < MOST_HEIGHT ? (unsigned)height : MOST_HEIGHT;
}

static struct plot_frame frame(const struct grid *g, const struct picture *p, bool *turned)
{
	struct plot_frame f = {.width = picture_width(p), .right = LEGEND, .top = 10};
	size_t letters = widest(g->h->columns, g->columns);

	f.left = (unsigned)widest(g->h->rows, g->rows) * LETTER + 12 + LABEL;
	*turned = (double)letters * LETTER > plot_frame_width(&f) / (double)g->columns;
	f.bottom = (*turned ? (unsigned)letters * LETTER + 8 : 22) + LABEL;
	f.height = picture_height(p, own_height(g, f.bottom));
	return f;
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

/* The bar of colours on the right with its ticks, labelled by the quantity and the cells' unit. */
static void write_legend(struct grid *g, const struct picture *p, struct plot_script *s)
{
	const struct plot_frame *f = &s->frame;
	struct axis *c = &g->colors;
	char text[120];

	axis_init_log(c, g->values, 0, 5, plot_script_unit(p));
	write_ramp(s);
	plot_script_line(s, "set logscale cb; set cbrange [%.17g:%.17g]", c->low, c->high);
	buf_add_str(&s->text, "set cbtics (");
	for (size_t i = 0; i < c->n; i++)
		buf_print(&s->text, "%s'%s' %.17g", i ? ", " : "", c->ticks[i].text,
			  c->ticks[i].at);
	buf_add_str(&s->text, ")\n");
	plot_script_line(s, "CB_LEFT = %.6f; CB_LOW = %.6f; CB_WIDTH = %.6f; CB_HEIGHT = %.6f",
			 1 - (LEGEND - 14.0) / f->width, (double)f->bottom / f->height,
			 12.0 / f->width, plot_frame_height(f) / f->height);
	(void)snprintf(text, sizeof text, "%.60s%s%s%s", p->quantity ? p->quantity : "best time",
		       *g->scale.unit ? " (" : "", g->scale.unit, *g->scale.unit ? ")" : "");
	plot_script_label(s, "cblabel", text, "offset 0.5,0 textcolor rgb C_fg");
}

static void write_all(struct grid *g, const struct picture *p, struct plot_script *s)
{
	bool turned;
	struct plot_frame f = frame(g, p, &turned);
	struct axis x = {.low = -0.5, .high = (double)g->columns - 0.5},
		    y = {.low = -0.5, .high = (double)g->rows - 0.5};

	plot_script_frame(s, &f, &x, &y);
	if (turned)
		plot_script_line(s, "set xtics rotate by 90 right");
	g->numbers = plot_frame_width(&f) / (double)g->columns > 40 &&
		     plot_frame_height(&f) / (double)g->rows > 16;
	plot_script_label_x(s, g->h->x_name);
	plot_script_label_y(s, g->h->y_name);
	write_legend(g, p, s);
	write_cells(g, "CELLS", CELL_ALL, s);
	write_cells(g, "DARK", CELL_DARK, s);
	write_cells(g, "LIGHT", CELL_LIGHT, s);
	write_cells(g, "INVALID", CELL_INVALID, s);
	write_names("COLUMNS", g->h->columns, g->columns, s);
	write_names("ROWS", g->h->rows, g->rows, s);
}

static enum asc_status write_heat(const struct picture *p, struct plot_script *s, struct asc_err *e)
{
	const struct picture_heat *h = p->data.heat;
	struct grid g = {.h = h,
			 .columns = h->n_columns < COLUMNS ? h->n_columns : COLUMNS,
			 .rows = h->n_rows < ROWS ? h->n_rows : ROWS};

	find_values(&g, plot_script_unit(p));
	if (!(g.values.low <= g.values.high))
		return asc_err_set(e, ASC_INPUT, "no pair of values passed");
	s->given = h->n_columns * h->n_rows;
	s->shown = g.columns * g.rows;
	write_all(&g, p, s);
	return ASC_OK;
}

const struct picture_ops heat_ops = {write_heat, piece_heat};
