/* A picture of the report page: its data, as plain numbers and names, and its inline SVG text.
 *
 * All data of a request is borrowed until pictures_draw() (plotter.h) returns; the results belong
 * to the picture, and picture_fini() frees them. Names may be any bytes: they are shown as text,
 * cut at 60 characters. Numbers are in SI base units (s, J, B/s), with `unit` as their symbol; NaN
 * and infinities are not drawn unless a comment says how. */
#ifndef ASCTUNE_PAGE_PLOT_PICTURE_H
#define ASCTUNE_PAGE_PLOT_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

/* code, name, member of the request's data */
#define PICTURE_KIND_LIST(X)                                                                       \
	X(HISTORY, "history", history)                                                             \
	X(TUNING, "tuning", tuning)                                                                \
	X(DISTRIBUTION, "distribution", distribution)                                              \
	X(ROOFLINE, "roofline", roofline)                                                          \
	X(PARETO, "pareto", pareto)                                                                \
	X(COMPARISON, "comparison", comparison)                                                    \
	X(REPLAY, "replay", replay)

enum picture_kind {
#define X(code, name, member) PICTURE_##code,
	PICTURE_KIND_LIST(X)
#undef X
		PICTURE_KINDS
};

enum { PICTURE_TITLES = 80 }; /* more marks than these share titles, which do without names */

/* ---- values of successive nights, what was found in them ---- */

struct picture_point {
	double at;     /* seconds since 1970 (UTC), or the number of the point: see `dated` */
	double value;  /* NaN: nothing was measured */
	bool left_out; /* a disturbed run: shown hollow */
};
struct picture_segment {    /* between two change points */
	double first, last; /* as `at` */
	double level, sd;
};
struct picture_change {
	double at, before, after; /* slower where after > before */
};
struct picture_event { /* another device, driver, toolchain */
	double at;
	const char *text;
};
struct picture_history {
	const struct picture_point *points; /* in order of `at` */
	size_t n_points;
	const struct picture_segment *segments;
	size_t n_segments;
	const struct picture_change *changes; /* in order of `at` */
	size_t n_changes;
	const struct picture_event *events; /* in order of `at` */
	size_t n_events;
	bool dated; /* `at` is a date */
};

/* ---- every configuration in order, and the best so far ---- */

struct picture_tuning {
	const double *values; /* in order of evaluation; NaN: failed, infinite: not shown */
	size_t n;
	const char *const *names; /* what was evaluated, for titles; NULL: not named */
};

/* ---- distribution of values in groups: violin and box ---- */

struct picture_group {
	const char *name;
	const double *values; /* above 0 */
	size_t n;
};
struct picture_distribution {
	const struct picture_group *groups; /* the first 12 are drawn */
	size_t n;
	const char *grouped_by; /* label of the x axis: the parameter's name; NULL: none */
};

/* ---- performance against intensity, below what the device reaches ---- */

struct picture_ceiling {
	const char *name;
	double rate; /* FLOP/s, or B/s of a memory */
};
enum picture_mark { PICTURE_BEST, PICTURE_DEFAULT, PICTURE_BASELINE }; /* filled, hollow, a cross */
struct picture_kernel {
	const char *name;       /* of the best a label, of the others in titles alone */
	double intensity, rate; /* FLOP per byte, FLOP/s */
	enum picture_mark mark;
};
enum { PICTURE_LEVELS = 4 };
struct picture_levels {   /* a kernel by what goes through each level of memory: one rate */
	const char *name; /* of the kernel, for titles */
	double rate;      /* FLOP/s */
	const char *levels[PICTURE_LEVELS];
	double intensities[PICTURE_LEVELS]; /* FLOP per byte of that level */
	size_t n;
	size_t limit; /* level that limits it; n: none does */
};
struct picture_roofline {
	const struct picture_ceiling *peaks; /* the first is the roof */
	size_t n_peaks;
	const struct picture_ceiling *memories; /* the first is the roof's slope */
	size_t n_memories;
	const struct picture_kernel *kernels;
	size_t n_kernels;
	const struct picture_levels *levels; /* of kernels that were profiled */
	size_t n_levels;
};

/* ---- two values of each configuration ---- */

struct picture_pair {
	double x, y;
	const char *name; /* for its title; NULL: none */
};
struct picture_cost {                              /* of a launch of one configuration */
	double seconds, seconds_low, seconds_high; /* the interval NaN: not known */
	double joules, joules_low, joules_high;
	const char *name;   /* for its title; NULL: none */
	const char *chosen; /* "energy, edp": the objectives that choose it, a label; NULL: none */
};
struct picture_pareto { /* time and energy: less is better, the front is found here */
	const struct picture_cost *costs;
	size_t n;
};
struct picture_comparison { /* the same configuration in two runs, with the diagonal */
	const struct picture_pair *pairs;
	size_t n;
	const char *x_name, *y_name; /* labels of the axes: "run 12, H200" */
	double ratio;                /* median of y / x, drawn as a line; NaN: none */
};

/* ---- scores of a search on recorded results, over time ---- */

struct picture_curve {
	const char *name;
	const double *values; /* at equal steps of time; NaN: not known */
};
struct picture_replay {
	const struct picture_curve *curves; /* the first 6 are drawn, with the mean of all */
	size_t n;
	size_t n_values; /* of each curve */
};

/* ---- the request ---- */

struct picture {
	enum picture_kind kind;
	union {
#define X(code, name, member) const struct picture_##member *member;
		PICTURE_KIND_LIST(X)
#undef X
	} data;
	const char *id;          /* letters, digits, _; one of its own on the page */
	const char *title;       /* of the SVG, for those who do not see it */
	const char *description; /* the finding in words and numbers */
	const char *quantity;    /* what values are, for an axis; NULL: "kernel time" */
	const char *unit;        /* of values; NULL: "s" */

	/* Result. */
	char *svg;    /* `<svg …>…</svg>`, with colours as var(--fg) and so on (palette.h) */
	char *reason; /* why there is no svg, in words; NULL when there is */
	size_t shown, given; /* marks: fewer are shown than given where there were too many; the
				page says so */
};

const char *picture_kind_name(enum picture_kind kind);
void picture_fini(struct picture *p); /* svg and reason */

#endif
