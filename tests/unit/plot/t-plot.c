/* Pictures of every kind: complete, well-formed, a part of a page; and what becomes of too much and
 * of too little.
 * covers: plotter.c plot_script.c plot_svg.c plot_marks.c kind_distribution.c kind_energy.c
 * kind_history.c kind_pairs.c kind_replay.c kind_roofline.c kind_tuning.c */
#include "reports/page/plot/plotter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/plot_script.h"
#include "reports/page/plot/plot_svg.h"
#include "tests/markup_check.h"
#include "tests/tap.h"
#include "tests/unit/plot/samples.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static struct asc_err e;
static struct plotter g;
static struct samples s;

/* Where each of our own colours was drawn with, there is its variable. */
static bool is_themed(const char *svg)
{
	static const char *const left[] = {"rgb( 11", "rgb(11,", "rgb(12,", "black",
					   "white",   "xlink",   "Gnuplot", NULL};

	for (const char *const *l = left; *l; l++)
		if (strstr(svg, *l))
			return false;
	return strstr(svg, "var(--fg)") && strstr(svg, "var(--mut)");
}

/* Every id starts with the picture's, so that many stand in one page. */
static bool has_own_ids(const struct picture *p)
{
	char want[80];
	size_t n = (size_t)snprintf(want, sizeof want, "%s", p->id);

	for (const char *at = p->svg; (at = strstr(at, " id=")); at++)
		if (strncmp(at + 5, want, n) != 0 || !strchr("-_", at[5 + n]))
			return false;
	return true;
}

static void check_svg(const struct picture *p)
{
	if (!tap_ok(p->svg && !p->reason, "%s: %s", p->id, p->reason ? p->reason : "drawn"))
		return;
	char *wrong = markup_check(p->svg, strlen(p->svg), MARKUP_PAGE);
	tap_ok(!wrong, "%s: %s", p->id, wrong ? wrong : "well-formed, whole in itself");
	free(wrong);
	tap_ok(strncmp(p->svg, "<svg role=\"img\" aria-labelledby=\"", 33) == 0,
	       "%s: an image with a name", p->id);
	tap_has(p->svg, "-d\">What there is to see, with &lt; &amp; &gt;.</desc>", "%s: described",
		p->id);
	tap_ok(is_themed(p->svg), "%s: in the page's colours", p->id);
	tap_ok(has_own_ids(p), "%s: ids of its own", p->id);
}

static void test_kinds(void)
{
	static const char *const seen[] = {"+10.3 %</text>",
					   "best so far</text>",
					   "n = 150</text>",
					   "memory 4.00 TB/s</text>",
					   "6 mJ</text>",
					   "time in run 14 (driver 580)</text>",
					   "dedispersion_A100</text>"};
	size_t before = 0;

	samples_init(&s);
	tap_int(pictures_draw(&g, s.pictures, PICTURE_KINDS, &e), ASC_OK, "one of each kind");
	for (int k = 0; k < PICTURE_KINDS; k++) {
		check_svg(&s.pictures[k]);
		tap_has(s.pictures[k].svg, seen[k], "%s: what is to be seen", s.pictures[k].id);
		tap_int(s.pictures[k].shown, s.pictures[k].given, "%s: nothing is cut",
			s.pictures[k].id);
		before += strlen(s.pictures[k].svg);
	}
	char *first = str_dup(s.pictures[PICTURE_HISTORY].svg);
	tap_int(pictures_draw(&g, s.pictures, 1, &e), ASC_OK, "again");
	tap_str(s.pictures[PICTURE_HISTORY].svg, first, "the same data, the same bytes");
	tap_ok(before < 180000, "all take %zu bytes", before);
	free(first);
}

static void free_all(void)
{
	for (int k = 0; k < PICTURE_KINDS; k++)
		picture_fini(&s.pictures[k]);
}

/* ---- ticks ---- */

static struct picture request(enum picture_kind kind)
{
	return (struct picture){.kind = kind,
				.id = "p_1",
				.title = "t",
				.description = "What there is to see, with < & >."};
}

/* The labels of all ticks and keys, in order, each with a bar behind it. */
static char *texts_of(const char *svg)
{
	struct buf b = {0};

	for (const char *at = svg; at && (at = strstr(at, "<text>")); at++)
		buf_print(&b, "%.*s|", (int)strcspn(at + 6, "<"), at + 6);
	return buf_take(&b);
}

static void check_texts(struct picture *p, const char *want, const char *what)
{
	tap_int(pictures_draw(&g, p, 1, &e), ASC_OK, "%s: drawn", what);
	char *texts = texts_of(p->svg);
	tap_has(texts, want, "%s: ticks", what);
	free(texts);
	picture_fini(p);
}

static void check_dates(double days, const char *want)
{
	const double from = 1767225600; /* date -u -d 2026-01-01 +%s */
	const struct picture_point points[] = {{from, 3e-5, false},
					       {from + 86400 * days, 3.2e-5, false}};
	struct picture p = request(PICTURE_HISTORY);
	char what[40];

	p.data.history = &(struct picture_history){.points = points, .n_points = 2, .dated = true};
	(void)snprintf(what, sizeof what, "%g days", days);
	check_texts(&p, want, what);
}

static void check_times(double low, double high, const char *unit, const char *want)
{
	const double values[] = {high, low};
	struct picture p = request(PICTURE_TUNING);
	char what[80];

	p.data.tuning = &(struct picture_tuning){values, 2, NULL};
	p.unit = unit;
	(void)snprintf(what, sizeof what, "%g to %g %s", low, high, unit);
	check_texts(&p, want, what);
}

static void test_ticks(void)
{
	check_dates(0.5, "|01 Jan|00:00|01 Jan|02:00|01 Jan|04:00|");
	check_dates(5, "|01 Jan|12:00|02 Jan|00:00|02 Jan|12:00|");
	check_dates(10, "|01 Jan|2026|02 Jan|2026|03 Jan|2026|");
	check_dates(180, "|Jan|2026|Feb|2026|Mar|2026|Apr|2026|May|2026|Jun|2026|");
	check_dates(365 * 8, "|Jan|2027|Jan|2028|Jan|2029|");
	check_times(29e-6, 37e-6, "s", "29 µs|30 µs|31 µs|");
	check_times(1.01, 1.05, "J", "1.01 J|1.015 J|1.02 J|");
	check_times(1e6, 2e6, "registers", "1000000|");
	check_times(18e-6, 250e-6, "s", "20 µs|30 µs|50 µs|70 µs|100 µs|200 µs|");
	check_times(0.9e-3, 99e-3, "s", "1 ms|2 ms|5 ms|10 ms|20 ms|50 ms|");
	check_times(300e-6, 9e-3, "s", "0.5 ms|1 ms|2 ms|5 ms|");
	check_times(1e-9, 1, "s", "10 ns|1 µs|100 µs|10 ms|1 s|1|2|");
	check_times(1e-12, 1e9, "", "1e−10|1e−06|0.01|100|1000000|1e+10|");
}

/* ---- titles of marks ---- */

static void test_shared_titles(void)
{
	static double values[400];
	struct picture p = request(PICTURE_TUNING);
	size_t n = 0;

	for (size_t i = 0; i < 400; i++)
		values[i] = i % 4 == 3 ? NAN : 1e-5 * (1 + (double)(i % 7));
	p.data.tuning = &(struct picture_tuning){values, 400, NULL};
	tap_int(pictures_draw(&g, &p, 1, &e), ASC_OK, "many marks");
	for (const char *at = strstr(p.svg, "class=\"marks\""); (at = strstr(at, "<title>")); at++)
		n++;
	tap_ok(n > 20 && n <= 80, "400 marks share %zu titles", n);
	tap_has(p.svg, "<title>numbers 1 to 7: 10.0 µs to 70.0 µs, 1 failed</title>",
		"which tell of all in a column");
	picture_fini(&p);
}

static void test_titles(void)
{
	static const char *const names[] = {"A=1", "A=2 & B", "A=3"};
	const double values[] = {2e-3, 900e-6, NAN};
	const struct picture_pair pairs[] = {
		{1e-5, 2e-5, "A=1"}, {2e-5, 4e-5, NULL}, {4e-5, 8e-5, NULL}};
	struct picture p = request(PICTURE_TUNING);

	p.data.tuning = &(struct picture_tuning){values, 3, names};
	tap_int(pictures_draw(&g, &p, 1, &e), ASC_OK, "three trials");
	tap_has(p.svg, "<title>number 1: 2.00 ms, A=1</title>", "a title with words and a unit");
	tap_has(p.svg, "<title>number 2: 0.900 ms, A=2 &amp; B</title>", "in the unit of the axis");
	tap_has(p.svg, "<title>number 3: failed, A=3</title>", "also of what failed");
	picture_fini(&p);
	p = request(PICTURE_COMPARISON);
	p.data.comparison = &(struct picture_comparison){pairs, 3, "x", "y", 2};
	tap_int(pictures_draw(&g, &p, 1, &e), ASC_OK, "three pairs");
	tap_has(p.svg, "<title>10.0 µs, then 20.0 µs, A=1</title>", "a pair");
	tap_has(p.svg, "<text>median ratio</text>", "the line of the median");
	picture_fini(&p);
	test_shared_titles();
}

/* The first point of a picture is drawn as a symbol: its title lies there. */
static void test_places(void)
{
	static const enum picture_kind kinds[] = {PICTURE_HISTORY, PICTURE_TUNING, PICTURE_ROOFLINE,
						  PICTURE_PARETO};

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		const struct picture *p = &s.pictures[kinds[k]];
		const char *at = strstr(p->svg, "class=\"marks\"");
		double x = 0, top = 0, bottom = 0, across, down;
		bool found = false;

		if (!tap_ok(at && sscanf(strstr(at, "\"M") + 2, "%lf %lf", &x, &top) == 2,
			    "%s: has titles", p->id))
			continue;
		if (sscanf(strstr(at, "\"M") + 2, "%lf %lfV%lf", &x, &top, &bottom) < 3)
			bottom = top;
		for (at = p->svg; !found && (at = strstr(at, "translate(")); at++)
			found = sscanf(at, "translate(%lf,%lf) scale", &across, &down) == 2 &&
				across > x - 7 && across < x + 7 && down > top - 2 &&
				down < bottom + 2;
		tap_ok(found, "%s: the first lies on its mark", p->id);
	}
}

/* ---- labels of a history ---- */

/* Height of what holds a text, from above; `begin` stands before its place, x and y. */
static double height_of(const char *svg, const char *text, const char *begin)
{
	const char *at = strstr(svg, text);
	double y = NAN;

	while (at && at > svg && strncmp(at, begin, strlen(begin)) != 0)
		at--;
	tap_ok(at && sscanf(at + strlen(begin), "%*f%*1[ ,]%lf", &y) == 1, "%s: drawn", text);
	return y;
}

/* Sizes of changes, two of them at one point with an event, stand above the highest of all points,
 * none in the row of another. */
static void test_labels(void)
{
	static const char move[] = "translate(";
	const double first = 1767225600, day = 86400;
	const struct picture_change changes[] = {{first + 5 * day, 1e-5, 1.25e-5},
						 {first + 10 * day, 1.25e-5, 1e-5}};
	const struct picture_event events[] = {{first + day, "far left"},
					       {first + 10 * day, "driver 580"}};
	struct picture_point points[12];
	struct picture p = request(PICTURE_HISTORY);

	for (int i = 0; i < 12; i++)
		points[i] = (struct picture_point){first + i * day,
						   i < 5 || i >= 10 ? 1e-5 : 1.25e-5, false};
	p.data.history =
		&(struct picture_history){points, 12, NULL, 0, changes, 2, events, 2, true};
	tap_int(pictures_draw(&g, &p, 1, &e), ASC_OK, "a history with labels");
	const double highest = height_of(p.svg, "<title>2026-01-06: 12.5 µs</title>", "\"M");
	const double slower = height_of(p.svg, "<text>+25.0 %</text>", move);
	const double faster = height_of(p.svg, "<text>−20.0 %</text>", move);
	const double event = height_of(p.svg, "<text>driver 580</text>", move);

	tap_ok(slower < highest - 8, "a size is above all points: %g, %g", slower, highest);
	tap_real(faster, slower, 0.1, "sizes that are apart share a row");
	tap_ok(event > faster + 12, "an event has a row of its own");
	tap_real(height_of(p.svg, "<text>far left</text>", move), event, 0.1,
		 "events that are apart share one");
	picture_fini(&p);
}

/* ---- distribution ---- */

/* The density is drawn from the lowest to the highest value, which are 8 percent of their distance
 * from the ends of the axis: pixels 290 and 16. */
static void check_density(const char *svg)
{
	const char *at = strstr(svg, "var(--band)' points = '");
	double x, y, top = 1e9, bottom = 0;
	int n = 0;

	for (at = at ? strchr(at, '=') + 3 : ""; sscanf(at, "%lf,%lf %n", &x, &y, &n) == 2;
	     at += n) {
		top = fmin(top, y);
		bottom = fmax(bottom, y);
	}
	tap_real(bottom, 290 - 274 * 0.08 / 1.16, 0.2, "the density begins at the lowest value");
	tap_real(top, 16 + 274 * 0.08 / 1.16, 0.2, "and ends at the highest");
}

/* A line from where the whiskers end: sorted 1 to 9 and 100, quartiles at 3 and 8, so that all up
 * to 15.5 belong to them. */
static void test_box(void)
{
	const double values[] = {5, 3, 100, 1, 2, 4, NAN, 6, 7, -1, 8, 9};
	const struct picture_group group = {"a", values, 12};
	struct picture p = request(PICTURE_DISTRIBUTION);

	p.data.distribution = &(struct picture_distribution){&group, 1, NULL};
	p.unit = "";
	tap_int(pictures_draw(&g, &p, 1, &e), ASC_OK, "a box");
	check_svg(&p);
	tap_has(p.svg, "n = 10</text>", "what is no time does not count");
	check_density(p.svg);
	picture_fini(&p);
}

static void test_few(void)
{
	const double values[] = {5, 3, 100, 1, 2, 4, 6, 7, 9};
	const struct picture_group group = {"a", values, 9};
	struct picture p = request(PICTURE_DISTRIBUTION);

	p.data.distribution = &(struct picture_distribution){&group, 1, NULL};
	tap_int(pictures_draw(&g, &p, 1, &e), ASC_OK, "few values");
	check_svg(&p);
	tap_ok(!strstr(p.svg, "var(--band)"), "nine values have no density");
	size_t dots = 0;

	for (const char *at = p.svg; (at = strstr(at, ") scale(")); at++)
		dots++;
	tap_int(dots, 9, "but a dot each");
	picture_fini(&p);
}

/* ---- replay ---- */

/* Of eight curves six are drawn; the scale ends at 1 and at -1. As a file the picture has its
 * colours with it. */
static void test_replay(void)
{
	static double low[3] = {-5, NAN, 0.5};
	struct picture_curve curves[8];
	struct picture p = request(PICTURE_REPLAY);
	struct buf file = {0};

	for (int i = 0; i < 8; i++)
		curves[i] = (struct picture_curve){"a", low};
	p.data.replay = &(struct picture_replay){curves, 8, 3};
	tap_int(pictures_draw(&g, &p, 1, &e), ASC_OK, "curves");
	check_svg(&p);
	tap_int(p.shown, 6, "six of them are shown");
	tap_int(p.given, 8, "of eight");
	char *texts = texts_of(p.svg);
	tap_has(texts, "−1|−0.5|0|0.5|1|0|0.2|", "scores below -1 are off the scale");
	free(texts);
	plot_svg_print_file(&p, &file);
	tap_ok(strncmp(buf_str(&file), "<svg xmlns=\"http://www.w3.org/2000/svg\" role=", 44) == 0,
	       "a file says what it is");
	tap_has(buf_str(&file), "--fg:#1a1a1f;", "and has its colours");
	tap_has(buf_str(&file), strchr(p.svg, '\n') + 1, "the rest is the same");
	buf_fini(&file);
	picture_fini(&p);
}

/* ---- too little ---- */

static void check_reason(struct picture *p, const char *reason)
{
	tap_int(pictures_draw(&g, p, 1, &e), ASC_OK, "nothing to see is no failure");
	tap_ok(!p->svg, "%s: no picture", picture_kind_name(p->kind));
	tap_str(p->reason, reason, "%s: why", picture_kind_name(p->kind));
	picture_fini(p);
}

static void test_nothing(void)
{
	const double failed[] = {NAN, NAN};
	const struct picture_group group = {"a", failed, 2};
	struct picture p = request(PICTURE_TUNING);

	p.data.tuning = &(struct picture_tuning){failed, 2, NULL};
	check_reason(&p, "no configuration passed");
	p = request(PICTURE_HISTORY);
	p.data.history = &(struct picture_history){.dated = true};
	check_reason(&p, "no run has a value");
	p = request(PICTURE_DISTRIBUTION);
	p.data.distribution = &(struct picture_distribution){&group, 1, NULL};
	check_reason(&p, "no group has a value");
	p = request(PICTURE_ROOFLINE);
	p.data.roofline = &(struct picture_roofline){.n_peaks = 0};
	check_reason(&p, "the peaks of the device are not known");
	p = request(PICTURE_PARETO);
	p.data.pareto = &(struct picture_pareto){NULL, 0};
	check_reason(&p, "no configuration has both values");
}

static void check_one(struct picture *p, const char *what)
{
	tap_int(pictures_draw(&g, p, 1, &e), ASC_OK, "%s", what);
	check_svg(p);
	picture_fini(p);
}

static void test_single(void)
{
	const double one[] = {2e-5}, same[] = {1e-3, 1e-3, 1e-3}, hidden[] = {INFINITY, 1e-3};
	const struct picture_point point = {1767225600, 3e-5, false};
	const struct picture_group groups[] = {{"a", one, 1}, {"b", same, 3}};
	const struct picture_cost cost = {2e-5, NAN, NAN, 1, 0.9, 1.1, "B=1", "energy"};
	struct picture p = request(PICTURE_TUNING);

	p.data.tuning = &(struct picture_tuning){one, 1, NULL};
	check_one(&p, "one configuration");
	p.data.tuning = &(struct picture_tuning){same, 3, NULL};
	check_one(&p, "equal ones");
	p.data.tuning = &(struct picture_tuning){hidden, 2, NULL};
	check_one(&p, "one that is not shown");
	p = request(PICTURE_HISTORY);
	p.data.history = &(struct picture_history){.points = &point, .n_points = 1, .dated = true};
	check_one(&p, "one night");
	p = request(PICTURE_DISTRIBUTION);
	p.data.distribution = &(struct picture_distribution){groups, 2, NULL};
	check_one(&p, "groups of one value");
	p = request(PICTURE_PARETO);
	p.data.pareto = &(struct picture_pareto){&cost, 1};
	check_one(&p, "one energy");
}

/* The newest night is on the scale, however far out; an earlier one is not. */
static void test_newest(void)
{
	const size_t last = SAMPLES_NIGHTS - 1;

	samples_init(&s);
	tap_int(pictures_draw(&g, &s.pictures[PICTURE_HISTORY], 1, &e), ASC_OK, "an outlier");
	tap_has(s.pictures[PICTURE_HISTORY].svg, "off scale</text>", "an outlier is off the scale");
	picture_fini(&s.pictures[PICTURE_HISTORY]);
	s.nights[90].value = s.nights[89].value;
	s.nights[last].value = 9.7e-5;
	tap_int(pictures_draw(&g, &s.pictures[PICTURE_HISTORY], 1, &e), ASC_OK, "a newest outlier");
	tap_ok(!strstr(s.pictures[PICTURE_HISTORY].svg, "off scale</text>"),
	       "the newest night is on it");
	picture_fini(&s.pictures[PICTURE_HISTORY]);
}

/* ---- too much ---- */

enum { MANY = 100000 };

static void test_many(void)
{
	static double values[MANY];
	static struct picture_cost costs[MANY];
	static struct picture_point points[MANY];
	struct rng r;
	struct picture p = request(PICTURE_TUNING);

	rng_init(&r, 7);
	for (size_t i = 0; i < MANY; i++) {
		values[i] = i % 9 ? 1e-5 * (1 + rng_uniform(&r)) : NAN;
		costs[i] = (struct picture_cost){
			.seconds = values[i], .seconds_low = NAN, .joules = 1 + rng_uniform(&r)};
		points[i] = (struct picture_point){(double)i, values[i], false};
	}
	values[77777] = 0.9e-5;
	p.data.tuning = &(struct picture_tuning){values, MANY, NULL};
	tap_int(pictures_draw(&g, &p, 1, &e), ASC_OK, "100,000 configurations");
	check_svg(&p);
	tap_int(p.given, MANY, "all are counted");
	tap_ok(p.shown > 1000 && p.shown <= 3000, "%zu of them are shown", p.shown);
	tap_has(p.svg, "9.00 µs</text>", "the best is not lost");
	tap_ok(strlen(p.svg) < 130000, "in %zu bytes", strlen(p.svg));
	picture_fini(&p);
	p = request(PICTURE_PARETO);
	p.data.pareto = &(struct picture_pareto){costs, MANY};
	tap_int(pictures_draw(&g, &p, 1, &e), ASC_OK, "100,000 energies");
	check_svg(&p);
	tap_ok(p.shown < p.given && p.shown <= 3000, "%zu of them are shown", p.shown);
	picture_fini(&p);
	p = request(PICTURE_HISTORY);
	p.data.history = &(struct picture_history){.points = points, .n_points = MANY};
	tap_int(pictures_draw(&g, &p, 1, &e), ASC_OK, "100,000 nights");
	check_svg(&p);
	tap_ok(p.shown < p.given && p.shown <= 3000, "%zu of them are shown", p.shown);
	picture_fini(&p);
}

/* ---- pieces ---- */

static void check_piece(const char *name, const char *piece)
{
	char path[200];
	struct buf file = {0};

	(void)snprintf(path, sizeof path, "%s/reports/page/plot/gp/%s.gp", PROJECT_ROOT, name);
	tap_int(file_read(path, 0, &file, &e), ASC_OK, "%s.gp", name);
	tap_str(piece, buf_str(&file), "is what the program has");
	buf_fini(&file);
}

static void test_pieces(void)
{
	check_piece("style", piece_style);
	check_piece("history", piece_history);
	check_piece("tuning", piece_tuning);
	check_piece("distribution", piece_distribution);
	check_piece("roofline", piece_roofline);
	check_piece("pareto", piece_pareto);
	check_piece("comparison", piece_comparison);
	check_piece("densities", piece_densities);
}

/* Value of y of the row with a name in the block of names, in the axis's unit. */
static double find_label(const struct plot_script *script, const char *name)
{
	const char *block = strstr(buf_str(&script->text), "$NAMES");
	const char *at = block ? strstr(block, name) : NULL;

	while (at && at > block && at[-1] != '\n')
		at--;
	return at ? strtod(strchr(at, ' '), NULL) : NAN;
}

/* The line to a label of a roofline runs through no other, that of the roof among them. */
static void test_leaders(void)
{
	static const struct picture_ceiling peak = {"peak", 263e9}, memory = {"memory", 54e9};
	static const struct picture_kernel kernels[] = {
		{"gemm/odd", 38, 157e9, PICTURE_BEST},
		{"openblas", 38, 130e9, PICTURE_BASELINE},
		{"gemm/square-1024", 170, 206e9, PICTURE_BEST},
		{"sdpa/bert", 96, 170e9, PICTURE_BEST},
		{"openblas", 96, 154e9, PICTURE_BASELINE},
		{"softmax", 0.6, 5e9, PICTURE_BEST}};
	const struct picture_roofline roofline = {&peak, 1, &memory, 1, kernels, 6, NULL, 0};
	struct picture p = request(PICTURE_ROOFLINE);
	struct plot_script script;

	p.data.roofline = &roofline;
	plot_script_init(&script);
	tap_int(picture_script(&p, "roofline.svg", &script, &e), ASC_OK, "roofline: written");
	const double at = find_label(&script, "gemm/square");
	tap_ok(at < 206, "roofline: the line to a label at %g does not run through the roof's", at);
	plot_script_fini(&script);
	/* The line to the second label goes down from its point at 43, 123 to 85; the third label
	 * would lie across it, left of its own point at 48, 109. */
	static const struct picture_kernel near[] = {{"gemm/odd", 48, 131e9, PICTURE_BEST},
						     {"gemm/two-long", 43, 123e9, PICTURE_BEST},
						     {"gemm/three-longer", 48, 109e9, PICTURE_BEST},
						     {"gemm/four", 23, 123e9, PICTURE_BEST}};
	const struct picture_roofline crowd = {&peak, 1, &memory, 1, near, 4, NULL, 0};

	p.data.roofline = &crowd;
	plot_script_init(&script);
	tap_int(picture_script(&p, "roofline.svg", &script, &e), ASC_OK, "roofline: a crowd");
	const double line_end = find_label(&script, "gemm/two"),
		     label = find_label(&script, "gemm/three");

	tap_ok(line_end < 90 && (label < line_end || label > 123),
	       "roofline: a label at %g is not put on the line from 123 to another at %g", label,
	       line_end);
	plot_script_fini(&script);
}

int main(void)
{
	test_pieces();
	tap_int(plotter_open(&g, NULL, &e), ASC_OK, "a plotter, or none");
	if (g.program) {
		tap_ok(*g.version && !*g.reason, "gnuplot %s", g.version);
		test_kinds();
		test_places();
		test_labels();
		test_leaders();
		free_all();
		test_ticks();
		test_titles();
		test_box();
		test_few();
		test_replay();
		test_nothing();
		test_single();
		test_newest();
		test_many();
	} else {
		tap_skip("%s", g.reason);
	}
	plotter_close(&g);
	return tap_done();
}
