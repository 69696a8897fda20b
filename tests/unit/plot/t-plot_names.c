/* Names that would like to be more than names: nothing is run, every picture stays well-formed.
 * covers: plotter.c picture_text.c */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/page/plot/history_marks.h"
#include "reports/page/plot/plotter.h"
#include "tests/markup_check.h"
#include "tests/tap.h"
#include "tests/unit/plot/samples.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static struct asc_err e;
static struct plotter g;
static struct samples s;
static char trap[80]; /* a file that nobody may make */

/* @ stands for the trap. */
static const char *const names[] = {"`touch @`",
				    "$(touch @)",
				    "'; system('touch @'); '",
				    "\"; system(\"touch @\"); \"",
				    "\\\"; system(\"touch @\"); \\",
				    "x\nsystem('touch @')\n!touch @\n",
				    "EOD_0000000000000000\nsystem('touch @')",
				    "$TEXT1[1]` touch @`",
				    "< touch @",
				    "| touch @",
				    "@C_fg",
				    "%s%n%99999d %",
				    "\\n\\101\\",
				    "]]>",
				    "</text></svg><script>alert(1)</script>",
				    "<!-- & &amp; &#0;",
				    "rgb(11,0,1) ='black'",
				    "{/Symbol a}_b^c",
				    "\x01\x02\x1b[31m\x7f",
				    "\xff\xfe\x80 \xc3",
				    "\xed\xa0\x80 \xef\xbf\xbe \xef\xbf\xbf",
				    "\xe2\x80\xae"
				    "desrever",
				    "\xe6\xa0\xb8\xe5\xbf\x83 \xf0\x9f\x9a\x80",
				    "",
				    NULL};

static char *armed(const char *name)
{
	struct buf b = {0};

	for (; *name; name++)
		if (*name == '@')
			buf_add_str(&b, trap);
		else
			buf_add_char(&b, *name);
	return b.data ? buf_take(&b) : str_dup("");
}

/* Everything that is a name in the samples. */
static void rename_all(const char *name)
{
	static struct picture_ceiling peaks[2], memories[2];
	static struct picture_kernel kernels[5];
	static struct picture_levels levels[2];

	for (int i = 0; i < 5; i++) {
		kernels[i] = s.roofline.kernels[i];
		kernels[i].name = name;
	}
	for (int i = 0; i < 2; i++) {
		levels[i] = s.roofline.levels[i];
		levels[i].name = levels[i].levels[0] = name;
	}
	for (int i = 0; i < 2; i++) {
		peaks[i] = s.roofline.peaks[i];
		memories[i] = s.roofline.memories[i];
		peaks[i].name = memories[i].name = s.curves[i].name = name;
	}
	for (int i = 0; i < 3; i++)
		s.events[i].text = name;
	for (int i = 0; i < SAMPLES_GROUPS; i++)
		s.groups[i].name = name;
	s.distribution.grouped_by = name;
	s.roofline = (struct picture_roofline){peaks, 2, memories, 2, kernels, 5, levels, 2};
	s.comparison.x_name = s.comparison.y_name = name;
}

static void check_picture(const struct picture *p)
{
	char *wrong = p->svg ? markup_check(p->svg, strlen(p->svg), MARKUP_PAGE) : NULL;

	if (!p->svg || wrong)
		tap_ok(false, "%s: %s", p->id, p->svg ? wrong : p->reason);
	free(wrong);
}

static void check_name(const char *name, const char *label)
{
	samples_init(&s);
	rename_all(name);
	for (int k = 0; k < PICTURE_KINDS; k++) {
		s.pictures[k].title = s.pictures[k].description = name;
		s.pictures[k].quantity = s.pictures[k].unit = name;
	}
	tap_int(pictures_draw(&g, s.pictures, PICTURE_KINDS, &e), ASC_OK, "named %s", label);
	for (int k = 0; k < PICTURE_KINDS; k++)
		check_picture(&s.pictures[k]);
	tap_ok(!file_exists(trap), "nothing was run");
	tap_ok(s.pictures[PICTURE_ROOFLINE].svg &&
		       !strstr(s.pictures[PICTURE_ROOFLINE].svg, "<script"),
	       "nor is there a tag");
	for (int k = 0; k < PICTURE_KINDS; k++)
		picture_fini(&s.pictures[k]);
}

static void test_long(void)
{
	static char name[4097];

	for (size_t i = 0; i + 1 < sizeof name; i++)
		name[i] = "`'\"\\\n]>"[i % 7];
	check_name(name, "4 kB of signs");
	memset(name, 'm', sizeof name - 1);
	check_name(name, "4 kB of m");
}

static void test_sparkline(const char *name)
{
	const double values[] = {1, 2};
	struct buf b = {0};

	sparkline_print(&(struct sparkline){values, 2, 1, SPARKLINE_SLOWER, name}, &b);
	char *wrong = markup_check(buf_str(&b), b.len, MARKUP_PAGE);
	tap_ok(!wrong, "sparkline: %s", wrong ? wrong : "well-formed");
	free(wrong);
	buf_fini(&b);
}

/* What a name says is what is shown. */
static void test_shown(void)
{
	samples_init(&s);
	rename_all("a\\b `c` <d> 'e' $f");
	tap_int(pictures_draw(&g, s.pictures, PICTURE_KINDS, &e), ASC_OK, "a name in all");
	for (int k = PICTURE_DISTRIBUTION; k < PICTURE_KINDS; k++)
		if (k != PICTURE_PARETO)
			tap_has(s.pictures[k].svg, "a\\b `c` &lt;d&gt; 'e' $f", "%s: shown",
				s.pictures[k].id);
	for (int k = 0; k < PICTURE_KINDS; k++)
		picture_fini(&s.pictures[k]);
}

int main(void)
{
	(void)snprintf(trap, sizeof trap, "/tmp/asctune-trap-%ld", (long)getpid());
	tap_int(plotter_open(&g, NULL, &e), ASC_OK, "a plotter, or none");
	for (const char *const *n = names; *n; n++) {
		char *name = armed(*n);
		test_sparkline(name);
		if (g.program)
			check_name(name, *n);
		free(name);
	}
	if (g.program) {
		test_long();
		test_shown();
	} else {
		tap_skip("%s", g.reason);
	}
	plotter_close(&g);
	return tap_done();
}
