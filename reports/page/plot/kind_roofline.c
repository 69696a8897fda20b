/* Performance against intensity, below what the device reaches.
 *
 * Roof and ceilings are lines; then come their names, and the kernels as marks. Names of kernels
 * are placed last, each at the first of 16 places around its mark that is free of other texts and
 * marks, since kernels of one workload lie close together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/picture_text.h"
#include "reports/page/plot/plot_marks.h"
#include "reports/page/plot/plot_script.h"
#include "tuner/base/units.h"

enum {
	NAME_LENGTH = 28,    /* characters: a quarter of the width */
	KERNELS = 40,        /* names: more would cover the picture */
	CEILINGS = 6,        /* peaks, and memories */
	LABEL_HEIGHT = 15,   /* pixels of a text of 13 */
	MARK_RADIUS = 4,     /* pixels */
	LINE_STEPS = 16,     /* points of a line that are looked at: it is 58 pixels high at most */
	CEILING_WIDTH = 170, /* pixels that the name of a ceiling takes, about */
	SLOPE_PIXELS = 11    /* from a memory's line to its name */
};

/* Size of a character as gnuplot estimates it, in pixels. */
static const double letter_width = 9.1, line_height = 19.5;

static const struct plot_frame frame = {.left = 126, .right = 30, .top = 12, .bottom = 60};

struct sheet {
	const struct picture_roofline *r;
	struct plot_script *s;
	struct axis x, y;
	double peak, slope; /* peak and slope of the roof: FLOP/s, B/s */
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool is_kernel(const struct picture_kernel *k)
{
	return axis_is_positive(k->intensity) && axis_is_positive(k->rate);
}

/* ---- axes ---- */

static bool is_level(const struct picture_levels *l, size_t i)
{
	return axis_is_positive(l->rate) && axis_is_positive(l->intensities[i]);
}

static void init_axes(struct sheet *t)
{
	double ridge = t->peak / t->slope;
	/* A decade and more on both sides of the ridge, and room for names above the roof. */
	struct axis_range x = {ridge / 20, ridge * 20}, y = {t->peak / 60, t->peak * 1.6};

	for (size_t i = 0; i < t->r->n_kernels; i++)
		if (is_kernel(&t->r->kernels[i])) {
			axis_range_add(&x, t->r->kernels[i].intensity);
			axis_range_add(&y, t->r->kernels[i].rate);
		}
	for (size_t i = 0; i < least(t->r->n_levels, KERNELS); i++)
		for (size_t k = 0; k < t->r->levels[i].n; k++)
			if (is_level(&t->r->levels[i], k))
				axis_range_add(&x, t->r->levels[i].intensities[k]);
	for (size_t i = 0; i < least(t->r->n_peaks, CEILINGS); i++)
		if (axis_is_positive(t->r->peaks[i].rate))
			axis_range_add(&y, t->r->peaks[i].rate * 1.6);
	axis_init_log(&t->x, x, 0.02, "");
	axis_init_log(&t->y, y, 0.02, "FLOP/s");
}

/* ---- roof and ceilings ---- */

/* Draws the memory's line from the picture's edge to the ridge below a peak, and on as the peak's.
 */
static void write_line(const struct sheet *t, double peak, double slope)
{
	double start = fmax(t->x.low, t->y.low / slope), ridge = peak / slope;

	if (ridge > start)
		plot_script_point(t->s, start, start * slope);
	plot_script_point(t->s, fmin(fmax(ridge, t->x.low), t->x.high),
			  fmin(peak, slope * t->x.high));
	if (ridge < t->x.high)
		plot_script_point(t->s, t->x.high, peak);
	plot_script_gap(t->s);
}

static void write_roof(const struct sheet *t)
{
	plot_script_begin(t->s, "ROOF");
	write_line(t, t->peak, t->slope);
	plot_script_end(t->s);
	plot_script_begin(t->s, "CEILINGS");
	for (size_t i = 1; i < least(t->r->n_peaks, CEILINGS); i++)
		if (axis_is_positive(t->r->peaks[i].rate)) {
			double start = t->r->peaks[i].rate / t->slope;
			plot_script_point(t->s, fmax(start, t->x.low), t->r->peaks[i].rate);
			plot_script_point(t->s, t->x.high, t->r->peaks[i].rate);
			plot_script_gap(t->s);
		}
	for (size_t i = 1; i < least(t->r->n_memories, CEILINGS); i++) {
		double slope = t->r->memories[i].rate;
		double start = fmax(t->x.low, t->y.low / slope);
		if (!axis_is_positive(slope) || start > t->x.high)
			continue;
		double end = fmin(t->peak / slope, t->x.high);
		plot_script_point(t->s, start, start * slope);
		plot_script_point(t->s, fmax(end, start), fmax(end, start) * slope);
		plot_script_gap(t->s);
	}
	plot_script_end(t->s);
}

static void write_rate(const struct sheet *t, const struct picture_ceiling *c, const char *rate)
{
	char text[2 * NAME_LENGTH * 4 + UNITS_TEXT_SIZE];
	struct buf name = {0};

	picture_text_clean(&name, c->name, NAME_LENGTH);
	(void)snprintf(text, sizeof text, "%s %s", buf_str(&name), rate);
	plot_script_name(t->s, text, PICTURE_NAME_LENGTH);
	plot_script_row(t->s);
	buf_fini(&name);
}

static void write_peaks(const struct sheet *t)
{
	char rate[UNITS_TEXT_SIZE];

	plot_script_begin(t->s, "PEAKS");
	for (size_t i = 0; i < least(t->r->n_peaks, CEILINGS); i++) {
		plot_script_x(t->s, axis_value(&t->x, 0.995));
		plot_script_y(t->s, t->r->peaks[i].rate);
		write_rate(t, &t->r->peaks[i], axis_print(&t->y, t->r->peaks[i].rate, 3, rate));
	}
	plot_script_end(t->s);
}

/* Writes the names of memories along their lines, at the angle that these have on paper. */
static void write_slopes(const struct sheet *t)
{
	/* Pixels of a decade in both directions: a memory's line rises one for one of them. */
	double across = plot_frame_width(t->s) / log10(t->x.high / t->x.low);
	double up = plot_frame_height(t->s) / log10(t->y.high / t->y.low);

	double angle = atan2(up, across);
	char rate[UNITS_TEXT_SIZE];

	plot_script_line(t->s, "ANGLE = %.3f; ASIDE = %.3f; ABOVE = %.3f", angle * 180 / M_PI,
			 -SLOPE_PIXELS * sin(angle) / letter_width,
			 SLOPE_PIXELS * cos(angle) / line_height);
	plot_script_begin(t->s, "SLOPES");
	for (size_t i = 0; i < least(t->r->n_memories, CEILINGS); i++) {
		double slope = t->r->memories[i].rate;
		double start = fmax(t->x.low, t->y.low / slope);
		double at = axis_value(&t->x, axis_place(&t->x, start) + 0.02);
		if (!axis_is_positive(slope) || at * slope > t->peak)
			continue;
		plot_script_x(t->s, at);
		plot_script_y(t->s, at * slope);
		write_rate(t, &t->r->memories[i], units_print(slope, "B/s", 3, rate));
	}
	plot_script_end(t->s);
}

/* ---- kernels ---- */

struct label { /* in pixels from the lower left */
	double x, y, width;
	bool away;               /* a line leads to its point */
	double point_x, point_y; /* where it does */
};

/* True where the line to one label's point runs through another label. */
static bool runs_through(const struct label *l, const struct label *other)
{
	const double end = l->x > l->point_x ? l->x : l->x + l->width;

	for (int i = 0; l->away && i <= LINE_STEPS; i++) {
		const double part = (double)i / LINE_STEPS;
		const double x = l->point_x + part * (end - l->point_x);
		const double y = l->point_y + part * (l->y - l->point_y);

		if (x > other->x && x < other->x + other->width &&
		    fabs(y - other->y) < LABEL_HEIGHT / 2.0)
			return true;
	}
	return false;
}

/* `apart`: lines to points keep away from other labels, too. */
static bool is_free(const struct label *l, const struct label *list, size_t n, bool apart)
{
	for (size_t i = 0; i < n; i++)
		if ((l->x < list[i].x + list[i].width && list[i].x < l->x + l->width &&
		     fabs(l->y - list[i].y) < LABEL_HEIGHT) ||
		    (apart && (runs_through(l, &list[i]) || runs_through(&list[i], l))))
			return false;
	return true;
}

/* True where no kernel's mark lies under a label. */
static bool hides_nothing(const struct sheet *t, const struct label *l)
{
	const double wide = plot_frame_width(t->s), high = plot_frame_height(t->s);

	for (size_t i = 0; i < least(t->r->n_kernels, PICTURE_MARKS); i++) {
		const struct picture_kernel *k = &t->r->kernels[i];

		if (!is_kernel(k))
			continue;
		const double x = axis_place(&t->x, k->intensity) * wide;
		const double y = axis_place(&t->y, k->rate) * high;

		if (x > l->x - MARK_RADIUS && x < l->x + l->width + MARK_RADIUS &&
		    fabs(y - l->y) < LABEL_HEIGHT / 2.0 + MARK_RADIUS)
			return false;
	}
	return true;
}

/* Places beside a point, the first one that is free: right or left of it, pixels above it. */
static const struct {
	bool left;
	double up;
} places[] = {{false, -9},  {false, 10}, {true, -9},   {true, 10},  {false, -24}, {false, 25},
	      {true, -24},  {true, 25},  {false, -40}, {false, 41}, {true, -40},  {true, 41},
	      {false, -56}, {false, 57}, {true, -56},  {true, 57}};

enum { BESIDE = 4 }; /* places that need no line to the point */

/* Finds the first free place for a name; false: there is none. */
static bool place_label(const struct sheet *t, const struct picture_kernel *k,
			const struct label *list, size_t n, struct label *out)
{
	const size_t n_places = sizeof places / sizeof *places;
	double wide = plot_frame_width(t->s), high = plot_frame_height(t->s);
	double x = axis_place(&t->x, k->intensity) * wide, y = axis_place(&t->y, k->rate) * high;
	struct buf name = {0};

	picture_text_clean(&name, k->name, NAME_LENGTH);
	double width = picture_text_width(buf_str(&name));
	buf_fini(&name);
	/* In a second pass, a line to a point may run through a label: better than no name. */
	for (size_t i = 0; i < 2 * n_places; i++) {
		const size_t at = i % n_places;
		double start = places[at].left ? x - 8 - width : x + 8;

		*out = (struct label){start, y + places[at].up, width, at >= BESIDE, x, y};
		if (start >= 0 && start + width <= wide && out->y >= 8 && out->y <= high - 8 &&
		    is_free(out, list, n, i < n_places) && hides_nothing(t, out))
			return true;
	}
	return false;
}

/* The names of the ceilings are there already. */
static size_t take_ceilings(const struct sheet *t, struct label *list)
{
	size_t n = 0;

	for (; n < least(t->r->n_peaks, CEILINGS); n++) {
		double y = axis_place(&t->y, t->r->peaks[n].rate) * plot_frame_height(t->s);
		list[n] = (struct label){plot_frame_width(t->s) - CEILING_WIDTH,
					 y + LABEL_HEIGHT / 2.0,
					 CEILING_WIDTH,
					 false,
					 0,
					 0};
	}
	return n;
}

struct placed { /* kernels with labels */
	const struct picture_kernel *kernels[KERNELS];
	struct label list[CEILINGS + KERNELS];
	size_t ceilings, n; /* labels of ceilings come first */
};

/* Places the labels; a kernel whose name finds no room is drawn without it: the table has it. */
static void place_labels(const struct sheet *t, struct placed *p)
{
	p->ceilings = take_ceilings(t, p->list);
	for (size_t i = 0; i < t->r->n_kernels && p->n < KERNELS; i++) {
		const struct picture_kernel *k = &t->r->kernels[i];
		const size_t n = p->ceilings + p->n;

		if (is_kernel(k) && k->mark == PICTURE_BEST &&
		    place_label(t, k, p->list, n, &p->list[n]))
			p->kernels[p->n++] = k;
	}
}

static void write_names(const struct sheet *t, const struct placed *p)
{
	plot_script_begin(t->s, "NAMES");
	for (size_t i = 0; i < p->n; i++) {
		const struct label *l = &p->list[p->ceilings + i];

		plot_script_x(t->s, axis_value(&t->x, l->x / plot_frame_width(t->s)));
		plot_script_y(t->s, axis_value(&t->y, l->y / plot_frame_height(t->s)));
		plot_script_name(t->s, p->kernels[i]->name, NAME_LENGTH);
		plot_script_row(t->s);
	}
	plot_script_end(t->s);
}

/* Writes lines from points to labels that are not beside them, as starts and differences. */
static void write_leaders(const struct sheet *t, const struct placed *p)
{
	plot_script_begin(t->s, "LEADERS");
	for (size_t i = 0; i < p->n; i++) {
		const struct label *l = &p->list[p->ceilings + i];
		const struct picture_kernel *k = p->kernels[i];
		const double wide = plot_frame_width(t->s);
		const double point = axis_place(&t->x, k->intensity) * wide;
		const double end =
			axis_value(&t->x, (l->x > point ? l->x : l->x + l->width) / wide);
		const double up = axis_value(&t->y, l->y / plot_frame_height(t->s));

		if (!l->away)
			continue;
		plot_script_x(t->s, k->intensity);
		plot_script_y(t->s, k->rate);
		plot_script_x(t->s, end - k->intensity);
		plot_script_y(t->s, up - k->rate);
		plot_script_row(t->s);
	}
	plot_script_end(t->s);
}

/* Writes the kernels with a mark; returns their number. */
static size_t write_marks(const struct sheet *t, const char *block, enum picture_mark mark)
{
	plot_script_begin(t->s, block);
	for (size_t i = 0; i < least(t->r->n_kernels, PICTURE_MARKS); i++)
		if (is_kernel(&t->r->kernels[i]) && t->r->kernels[i].mark == mark)
			plot_script_point(t->s, t->r->kernels[i].intensity, t->r->kernels[i].rate);
	const size_t n = t->s->rows;

	plot_script_end(t->s);
	return n;
}

/* Writes the marks of kernels' levels, of which one height has several: lines that join those of a
 * kernel, marks, and the marks of what limits. What is not there has no name in the key. */
static void write_levels(const struct sheet *t)
{
	const size_t n = least(t->r->n_levels, KERNELS);
	size_t limits = 0;

	plot_script_begin(t->s, "JOINED");
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < t->r->levels[i].n; k++)
			if (is_level(&t->r->levels[i], k))
				plot_script_point(t->s, t->r->levels[i].intensities[k],
						  t->r->levels[i].rate);
		plot_script_gap(t->s);
	}
	plot_script_end(t->s);
	for (int filled = 0; filled < 2; filled++) {
		plot_script_begin(t->s, filled ? "LIMITS" : "LEVELS");
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < t->r->levels[i].n; k++)
				if (is_level(&t->r->levels[i], k) &&
				    (k == t->r->levels[i].limit) == filled)
					plot_script_point(t->s, t->r->levels[i].intensities[k],
							  t->r->levels[i].rate);
		limits = t->s->rows;
		plot_script_end(t->s);
	}
	plot_script_line(t->s, "LEVELS_NAME = '%s'; LIMITS_NAME = '%s'",
			 n > 0 ? "by bytes of each level" : "", limits > 0 ? "its limit" : "");
}

static void write_level_titles(const struct sheet *t)
{
	char text[PICTURE_TITLE_LENGTH * 4];

	for (size_t i = 0; i < least(t->r->n_levels, KERNELS); i++)
		for (size_t k = 0; k < t->r->levels[i].n; k++) {
			const struct picture_levels *l = &t->r->levels[i];

			if (!is_level(l, k))
				continue;
			(void)snprintf(text, sizeof text, "%.200s, %s: %.3g FLOP per byte%s",
				       l->name, l->levels[k], l->intensities[k],
				       k == l->limit ? ", its limit" : "");
			plot_marks_add(t->s, l->intensities[k], l->rate, text);
		}
}

static void write_titles(const struct sheet *t)
{
	static const char *const marks[] = {"best", "default", "baseline"};
	char text[PICTURE_TITLE_LENGTH * 4], rate[UNITS_TEXT_SIZE];

	for (size_t i = 0; i < least(t->r->n_kernels, PICTURE_MARKS); i++) {
		const struct picture_kernel *k = &t->r->kernels[i];

		if (!is_kernel(k))
			continue;
		(void)snprintf(text, sizeof text, "%.200s, %s: %s at %.3g FLOP per byte", k->name,
			       marks[k->mark], axis_print(&t->y, k->rate, 3, rate), k->intensity);
		plot_marks_add(t->s, k->intensity, k->rate, text);
	}
}

static enum asc_status write_roofline(const struct picture *p, struct plot_script *s,
				      struct asc_err *e)
{
	struct sheet t = {.r = p->data.roofline, .s = s};
	struct placed labels = {.n = 0};

	if (t.r->n_peaks == 0 || t.r->n_memories == 0 || !axis_is_positive(t.r->peaks[0].rate) ||
	    !axis_is_positive(t.r->memories[0].rate))
		return asc_err_set(e, ASC_INPUT, "the peaks of the device are not known");
	t.peak = t.r->peaks[0].rate;
	t.slope = t.r->memories[0].rate;
	s->given = t.r->n_kernels;
	s->height = 380;
	init_axes(&t);
	plot_script_frame(s, &frame);
	plot_script_axes(s, &t.x, &t.y);
	plot_script_label(s, "x", "arithmetic intensity (FLOP per byte)");
	plot_script_label(s, "y", "performance");
	write_roof(&t);
	write_peaks(&t);
	write_slopes(&t);
	s->shown = write_marks(&t, "KERNELS", PICTURE_BEST) +
		   write_marks(&t, "DEFAULTS", PICTURE_DEFAULT) +
		   write_marks(&t, "BASELINES", PICTURE_BASELINE);
	write_levels(&t);
	place_labels(&t, &labels);
	write_leaders(&t, &labels);
	write_names(&t, &labels);
	write_level_titles(&t);
	write_titles(&t);
	return ASC_OK;
}

const struct picture_ops roofline_ops = {write_roofline, piece_roofline};
