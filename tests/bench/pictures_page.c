/* pictures_page FILE.html: one picture of each kind and histories that are hard to draw in
 * a page, to be looked at; prints how long drawing took and how large each is, then how long 500
 * histories of 365 nights take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/plot/history_marks.h"
#include "reports/page/plot/palette.h"
#include "reports/page/plot/plotter.h"
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
			 "figure svg{width:100%;height:auto;display:block}"
			 ".spark path:not([fill]){fill:none;stroke:var(--s1)}</style>\n");
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

enum { HISTORIES = 500, YEAR = 365 };

static int time_histories(const struct plotter *g)
{
	static struct picture_point nights[YEAR];
	static struct picture list[HISTORIES];
	static char ids[HISTORIES][16];
	struct picture_history h = {.points = nights, .n_points = YEAR, .dated = true};
	struct asc_err e;
	struct rng r;
	size_t bytes = 0, drawn = 0;

	rng_init(&r, 3);
	for (int i = 0; i < YEAR; i++)
		nights[i] = (struct picture_point){1767225600 + 86400.0 * i,
						   1e-3 * (1 + 0.01 * rng_normal(&r)), false};
	for (int i = 0; i < HISTORIES; i++) {
		(void)snprintf(ids[i], sizeof ids[i], "h%d", i);
		list[i] = (struct picture){.kind = PICTURE_HISTORY,
					   .data.history = &h,
					   .id = ids[i],
					   .title = "t",
					   .description = "d"};
	}
	int64_t start = clock_now_ns();
	if (pictures_draw(g, list, HISTORIES, &e))
		return 1;
	int64_t spent = clock_now_ns() - start;
	for (int i = 0; i < HISTORIES; i++) {
		drawn += list[i].svg != NULL;
		bytes += list[i].svg ? strlen(list[i].svg) : 0;
		picture_fini(&list[i]);
	}
	(void)printf("%zu histories of %d nights: %.2f s, %zu bytes each\n", drawn, YEAR,
		     (double)spent / 1e9, bytes / HISTORIES);
	return drawn != HISTORIES;
}

/* Many changes and events close together, without dates. */
static void add_crowd(const struct plotter *g, struct buf *page)
{
	enum { N = 120, CHANGES = 9, EVENTS = 12 };
	static struct picture_point nights[N];
	static struct picture_segment segments[CHANGES + 1];
	static struct picture_change changes[CHANGES];
	static struct picture_event events[EVENTS];
	struct rng r;
	struct asc_err e;

	rng_init(&r, 9);
	for (int k = 0; k <= CHANGES; k++)
		segments[k] = (struct picture_segment){60 + 6 * (k - 1), 65 + 6 * (k - 1),
						       1e-3 * (1 + 0.1 * (k % 3)), 1e-5};
	segments[0].first = 0;
	segments[CHANGES].last = N - 1;
	for (int k = 0; k < CHANGES; k++)
		changes[k] = (struct picture_change){segments[k + 1].first, segments[k].level,
						     segments[k + 1].level};
	for (int i = 0, k = 0; i < N; i++) {
		k += k < CHANGES && i >= segments[k + 1].first;
		nights[i] = (struct picture_point){i, segments[k].level + 1e-5 * rng_normal(&r),
						   i % 17 == 0};
	}
	for (int k = 0; k < EVENTS; k++)
		events[k] = (struct picture_event){30.0 + 7 * k, "driver 580.65.06, CUDA 13.0.1"};
	struct picture_history h = {nights,  N,      segments, CHANGES + 1, changes,
				    CHANGES, events, EVENTS,   false};
	struct picture p = {.kind = PICTURE_HISTORY,
			    .data.history = &h,
			    .id = "crowd",
			    .title = "crowd",
			    .description = "d",
			    .quantity = "registers",
			    .unit = "count"};
	if (pictures_draw(g, &p, 1, &e) == ASC_OK)
		buf_print(page, "<figure><h2>crowd</h2>%s</figure>\n", p.svg ? p.svg : p.reason);
	picture_fini(&p);
}

int main(int argc, char **argv)
{
	static struct samples s;
	struct plotter g;
	struct asc_err e;
	struct buf page = {0};

	samples_init(&s);
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
	add_crowd(&g, &page);
	print_sparkline(&s, &page);
	int failed = file_write(argv[1], page.data, page.len, &e) != ASC_OK;
	buf_fini(&page);
	failed |= time_histories(&g);
	plotter_close(&g);
	return failed;
}
