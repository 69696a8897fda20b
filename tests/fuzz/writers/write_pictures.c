/* Pictures of foreign names: the scripts that gnuplot would be given, and what becomes of the SVG
 * that it would write. No gnuplot is started. */
#include <stdlib.h>
#include <string.h>

#include "reports/page/plot/history_marks.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/picture_text.h"
#include "reports/page/plot/plot_script.h"
#include "reports/page/plot/plot_svg.h"
#include "tests/fuzz/writers/foreign.h"
#include "tests/unit/plot/samples.h"
#include "tuner/base/buf.h"

static const char planted[] = "Zq7"; /* stands nowhere in what is ours */

static struct samples s;

/* Names for one kind of picture, some of them with planted text before; heap. */
struct names {
	char *list[16];
};

static void take_names(const struct foreign *f, const char *before, struct names *n)
{
	for (size_t i = 0; i < sizeof n->list / sizeof *n->list; i++)
		if (!(n->list[i] = str_print("%s%s", before, foreign_name(f, i))))
			abort();
}

static void free_names(struct names *n)
{
	for (size_t i = 0; i < sizeof n->list / sizeof *n->list; i++)
		free(n->list[i]);
}

static void rename_roofline(char *const *names)
{
	static struct picture_ceiling peaks[2], memories[2];
	static struct picture_kernel kernels[5];
	static struct picture_levels levels[2];

	for (int i = 0; i < 5; i++) {
		kernels[i] = s.roofline.kernels[i];
		kernels[i].name = names[i];
	}
	for (int i = 0; i < 2; i++) {
		levels[i] = s.roofline.levels[i];
		levels[i].name = levels[i].levels[0] = names[i];
	}
	for (int i = 0; i < 2; i++) {
		peaks[i] = s.roofline.peaks[i];
		memories[i] = s.roofline.memories[i];
		peaks[i].name = names[5 + i];
		memories[i].name = names[7 + i];
	}
	s.roofline = (struct picture_roofline){peaks, 2, memories, 2, kernels, 5, levels, 2};
}

/* Once: all names are given anew each time. Numbers are ours, a few are enough. */
static void init_samples(void)
{
	enum { FEW = 6 };
	static bool done;

	if (done)
		return;
	done = true;
	samples_init(&s);
	s.history.n_points = s.tuning.n = s.pareto.n = s.comparison.n = FEW;
	for (int i = 0; i < SAMPLES_GROUPS; i++)
		s.groups[i].n = FEW;
}

static void rename_all(char *const *names)
{
	init_samples();
	rename_roofline(names);
	for (int i = 0; i < 3; i++)
		s.events[i].text = names[i];
	for (int i = 0; i < SAMPLES_GROUPS; i++)
		s.groups[i].name = names[i];
	for (int i = 0; i < 2; i++) {
		s.curves[i].name = names[i];
	}
	s.distribution.grouped_by = names[9];
	s.comparison.x_name = names[10];
	s.comparison.y_name = names[11];
	for (int k = 0; k < PICTURE_KINDS; k++) {
		s.pictures[k].title = names[12];
		s.pictures[k].description = names[13];
		s.pictures[k].quantity = names[14];
		s.pictures[k].unit = names[15];
	}
}

/* Outside data, what was planted does not stand: so no name does. */
static void check_planted(const struct plot_script *script)
{
	char *mark = str_print(" << %s\n", script->mark), *end = str_print("\n%s\n", script->mark);
	const char *at = buf_str(&script->text), *data;

	while (mark && end && at) {
		const char *found = strstr(at, planted);

		data = strstr(at, mark);
		if (found && (!data || found < data))
			foreign_fail("script", "a name in a command", found);
		at = data ? strstr(data, end) : NULL;
	}
	free(mark);
	free(end);
}

static void check_script(const struct picture *p, bool plants)
{
	struct plot_script script;
	const char *wrong, *at;
	struct asc_err e;

	plot_script_init(&script);
	if (picture_script(p, "p0.svg", &script, &e) == ASC_OK) {
		at = script_check(buf_str(&script.text), script.mark, &wrong);
		if (at)
			foreign_fail("script", wrong, at);
		if (plants)
			check_planted(&script);
	}
	plot_script_fini(&script);
}

/* Text as gnuplot's svg terminal writes it: & and < are escaped, the rest is as in the script. */
static void add_gnuplot_text(struct buf *out, const char *name)
{
	struct buf clean = {0};

	picture_text_clean(&clean, name, PICTURE_NAME_LENGTH);
	for (const char *at = buf_str(&clean); *at; at++)
		if (*at == '&')
			buf_add_str(out, "&amp;");
		else if (*at == '<')
			buf_add_str(out, "&lt;");
		else
			buf_add_char(out, *at);
	buf_fini(&clean);
}

static void add_gnuplot_svg(struct buf *out, char *const *names, size_t n)
{
	buf_add_str(out,
		    "<?xml version=\"1.0\" encoding=\"utf-8\"  standalone=\"no\"?>\n<svg \n"
		    " viewBox=\"0 0 400 200\"\n>\n\n<title>p</title>\n<desc>Produced</desc>\n\n"
		    "<g id=\"gnuplot_canvas\">\n\n<rect x=\"0\" y=\"0\" width=\"400\" "
		    "height=\"200\" fill=\"none\"/>\n<defs>\n\n"
		    "\t<circle id='gpPt5' stroke-width='0.222' stroke='currentColor' cx='0' "
		    "cy='0' r='1'/>\n\t<use xlink:href='#gpPt5' id='gpPt6' fill='currentColor' "
		    "stroke='none'/>\n</defs>\n");
	for (size_t i = 0; i < n; i++) {
		buf_add_str(out, "<g fill=\"none\" color=\"black\">\n\t<g transform=\"translate(1,"
				 "2)\" stroke=\"none\" fill=\"rgb(1,0,1)\">\n\t\t<text>");
		add_gnuplot_text(out, names[i]);
		buf_add_str(out,
			    "</text>\n\t</g>\n\t<use xlink:href='#gpPt6' "
			    "transform='translate(1.0,2.0) scale(3.00)' color='rgb(  1,   1,   "
			    "1)'/>\n</g>\n");
	}
	buf_add_str(out, "</g>\n</svg>\n");
}

static void check_svg(const struct picture *p, char *const *names)
{
	struct buf raw = {0}, clean = {0};
	struct asc_err e;

	add_gnuplot_svg(&raw, names, 6);
	if (plot_svg_check(buf_str(&raw), &e))
		foreign_fail("SVG", e.text, raw.data);
	plot_svg_clean(raw.data, p, &(struct buf){0}, &clean);
	foreign_check_markup("SVG", &clean, MARKUP_PAGE);
	buf_fini(&raw);
	buf_fini(&clean);
}

static void check_sparkline(const char *name)
{
	const double values[] = {1, 2};
	struct buf out = {0};

	sparkline_print(&(struct sparkline){values, 2, 1, SPARKLINE_SLOWER, name}, &out);
	foreign_check_markup("sparkline", &out, MARKUP_PAGE);
	buf_fini(&out);
}

/* Bytes that gnuplot would never write: they are refused or cleaned, and nothing else happens. */
static void clean_anything(const struct foreign *f)
{
	struct buf raw = {0}, clean = {0};
	struct asc_err e;

	buf_print(&raw, "<svg viewBox=\"0 0 1 1\">\n<defs>\n%s\n</defs>\n%s\n</svg>\n",
		  foreign_name(f, 0), foreign_name(f, 1));
	if (!plot_svg_check(buf_str(&raw), &e))
		plot_svg_clean(raw.data, &s.pictures[0], &(struct buf){0}, &clean);
	buf_fini(&raw);
	buf_fini(&clean);
}

void foreign_write_pictures(const struct foreign *f)
{
	static const char *const before[] = {"", planted};
	struct names n;

	for (size_t i = 0; i < 2; i++) {
		take_names(f, before[i], &n);
		rename_all(n.list);
		for (int k = 0; k < PICTURE_KINDS; k++)
			check_script(&s.pictures[k], i == 1);
		check_svg(&s.pictures[0], n.list);
		check_sparkline(n.list[0]);
		clean_anything(f);
		free_names(&n);
	}
}
