/* pictures_page FILE.html [WIDTH]: one picture of each kind in a page, to be looked at; prints how
 * long drawing took and how large each is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/plot/palette.h"
#include "reports/plot/plotter.h"
#include "reports/plot/sparkline.h"
#include "tests/unit/plot/samples.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/units.h"

static void print_style(struct buf *out)
{
	buf_add_str(out, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Pictures"
			 "</title><style>:root{color-scheme:light dark;");
	palette_print_light(out);
	buf_add_str(out, "}@media(prefers-color-scheme:dark){:root{");
	palette_print_dark(out);
	buf_add_str(out, "}}body{background:var(--bg);color:var(--fg);font:16px system-ui;"
			 "max-width:960px;margin:1rem auto}figure{margin:0 0 1.5rem}"
			 "figure svg{width:100%;height:auto;display:block}</style>\n");
}

static void print_sparkline(const struct samples *s, struct buf *out)
{
	double values[SAMPLES_NIGHTS];

	for (int i = 0; i < SAMPLES_NIGHTS; i++)
		values[i] = i == 90 ? NAN : s->nights[i].value;
	for (int c = SPARKLINE_NONE; c <= SPARKLINE_UNDECIDED; c++)
		sparkline_print(&(struct sparkline){values, SAMPLES_NIGHTS, 62,
						    (enum sparkline_change)c, "180 nights"},
				out);
}

int main(int argc, char **argv)
{
	static struct samples s;
	struct plotter g;
	struct asc_err e;
	struct buf page = {0};
	unsigned width = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

	samples_init(&s);
	for (int k = 0; k < PICTURE_KINDS; k++)
		s.pictures[k].width = width;
	if (argc < 2 || plotter_open(&g, NULL, &e))
		return 2;
	int64_t start = clock_now_ns();
	if (pictures_draw(&g, s.pictures, PICTURE_KINDS, &e))
		return 1;
	(void)printf("%.0f ms\n", (double)(clock_now_ns() - start) / 1e6);
	print_style(&page);
	for (int k = 0; k < PICTURE_KINDS; k++) {
		const struct picture *p = &s.pictures[k];
		buf_print(&page, "<figure><h2>%s</h2>%s</figure>\n", p->title,
			  p->svg ? p->svg : p->reason);
		(void)printf("%-12s %6zu bytes  %s\n", p->title, p->svg ? strlen(p->svg) : 0,
			     p->svg ? "" : p->reason);
		picture_fini(&s.pictures[k]);
	}
	print_sparkline(&s, &page);
	int failed = file_write(argv[1], page.data, page.len, &e) != ASC_OK;
	buf_fini(&page);
	plotter_close(&g);
	return failed;
}
