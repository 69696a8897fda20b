/* The head of the page: a grey line that says where and when; one sentence of the counts that are
 * not zero, the worst first; banners about a busy machine and missing pictures. Then the head of a
 * comparison. */
#include <inttypes.h>
#include <string.h>

#include "db/overview.h"
#include "reports/page/page.h"
#include "reports/page/page_findings.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/parts/page_series.h"
#include "reports/page/plot/plotter.h"
#include "reports/track/track_compare.h"
#include "reports/track/track_history.h"
#include "reports/track/track_night.h"
#include "reports/track/track_write.h"
#include "tuner/base/buf.h"

/* ---- where and when ---- */

enum { DEVICES = 2 }; /* named in the line, which is to be one line; the others are in a table */

struct devices {
	struct page *p;
	const char *names[DEVICES];
	size_t n; /* number of different ones */
};

/* Lists each model once, with its newest driver: environments come newest first. */
static enum asc_status add_device(void *user, const struct db_environment *v, struct asc_err *e)
{
	struct devices *d = user;
	const char *name = v->device_model && *v->device_model ? v->device_model : v->device_kind;

	(void)e;
	for (size_t i = 0; i < d->n && i < DEVICES; i++)
		if (strcmp(d->names[i], name) == 0)
			return ASC_OK;
	if (d->n < DEVICES) {
		d->names[d->n] = page_print(d->p, "%s", name);
		buf_add_str(d->p->out, d->n ? ", " : " on ");
		html_name(d->p->out, name, 60);
		if (v->driver && *v->driver) {
			buf_add_str(d->p->out, " (");
			html_name(d->p->out, v->driver, 60);
			buf_add_char(d->p->out, ')');
		}
	}
	d->n++;
	return ASC_OK;
}

static enum asc_status write_where(struct page *p, const struct db_overview *o, struct asc_err *e)
{
	const char *slash = strrchr(p->request->path, '/');
	struct devices devices = {.p = p};
	char text[NUMBER_TEXT_SIZE];

	buf_add_str(p->out, "<h1>asctune · ");
	html_name(p->out, slash && slash[1] ? slash + 1 : p->request->path, 80);
	if (o->runs > 0 && p->tracks)
		buf_print(p->out, " · night of %s", number_print_day(o->last_ms, text));
	else if (o->runs > 0)
		buf_print(p->out, " · tuned %s", number_print_moment(o->last_ms, text));
	enum asc_status status = db_each_environment(p->db, add_device, &devices, e);

	if (devices.n > DEVICES)
		buf_print(p->out, " <a href=\"#environments\">and %zu more</a>",
			  devices.n - DEVICES);
	p->several_devices = devices.n > 1;
	buf_add_str(p->out, "</h1>\n");
	return status;
}

/* ---- the sentence ---- */

struct sentence {
	struct buf *out;
	const char *noun; /* stands behind the first number; "": none */
	size_t parts;
};

/* Adds "N WORDS" unless N is 0. */
static void add_count(struct sentence *s, size_t n, const char *class, const char *one,
		      const char *many)
{
	if (n == 0)
		return;
	buf_print(s->out, "%s<span class=\"%s\">%zu ", s->parts ? ", " : "", class, n);
	if (!s->parts++ && *s->noun)
		buf_print(s->out, "%s%s ", s->noun, n == 1 ? "" : "s");
	buf_print(s->out, "%s</span>", n == 1 ? one : many);
}

static void add_verdict(struct sentence *s, const struct track_counts *c, enum track_verdict v)
{
	const char *words = track_verdict_words(v);

	add_count(s, c->of[v], page_verdict_looks[v].class, words, words);
	track_write_count_notes(c, v, s->out);
}

/* Writes the sentence of a page without nights. */
static void write_tuned(struct page *p)
{
	const struct page_best_counts c = page_best_count(p);
	struct sentence s = {.out = p->out, .noun = ""};
	size_t failed = 0;

	/* Imported and simulated results are not tuned here, and have no best. */
	for (size_t i = 0; i < p->n_kernels; i++)
		failed += !p->kernels[i].best && !p->kernels[i].run.simulated;
	const size_t n = p->n_best + failed;

	buf_print(p->out, "<p class=\"verdict\">%zu kernel%s tuned: ", n, n == 1 ? "" : "s");
	add_count(&s, p->groups.counts.of[TRACK_BROKEN], "bad",
		  "implementation of which nothing passed",
		  "implementations of which nothing passed");
	add_count(&s, failed, "bad", "of which nothing passed", "of which nothing passed");
	add_count(&s, c.unusable, "bad", "with no usable result", "with no usable result");
	add_count(&s, c.undecided, "warn", "undecided", "undecided");
	add_count(&s, c.not_compared, "warn", "not compared: time ran out",
		  "not compared: time ran out");
	add_count(&s, c.unfinished, "warn", "of a run that did not end",
		  "of runs that did not end");
	add_count(&s, c.faster, "good", "faster than its default", "faster than their default");
	add_count(&s, c.no_faster, "", "no faster than its default",
		  "no faster than their default");
	add_count(&s, c.alone, "", "not compared with a default", "not compared with a default");
	buf_add_str(p->out, ".</p>\n");
}

/* Begins the line below the sentence: how many problems the newest night has measured to the end,
 * how many histories and nights there are, and since when. */
static void write_span(struct page *p)
{
	const struct track_series *longest = &p->history->list[0];
	size_t n = 0, measured = 0;
	char day[NUMBER_TEXT_SIZE];

	for (size_t i = 0; i < p->n_kernels; i++) {
		const struct db_run_view *r = &p->kernels[i].run;

		/* The newest night is number 0, older ones are below. */
		n += !r->simulated;
		measured += !r->simulated && r->outcome && strcmp(r->outcome, "done") == 0 &&
			    track_night_of(p->history, r->started_ms) >= 0;
	}
	buf_print(p->out, "<p class=\"meta\">%zu of %zu problem%s measured to the end · ", measured,
		  n, n == 1 ? "" : "s");
	buf_print(p->out, "%zu histor%s", p->history->n, p->history->n == 1 ? "y" : "ies");
	if (p->groups.counts.baselines)
		buf_print(p->out, " · %zu baseline%s not counted", p->groups.counts.baselines,
			  p->groups.counts.baselines == 1 ? "" : "s");
	/* The longest history stands for all: a kernel that was added later has fewer nights. */
	for (size_t i = 0; i < p->history->n; i++)
		if (p->history->list[i].n > longest->n)
			longest = &p->history->list[i];
	size_t nights = longest->n > 0;

	for (size_t i = 1; i < longest->n; i++)
		nights += track_night_of(p->history, longest->points[i].started_ms) !=
			  track_night_of(p->history, longest->points[i - 1].started_ms);
	buf_print(p->out, " · %zu night%s since %s", nights, nights == 1 ? "" : "s",
		  number_print_day(longest->points[0].started_ms, day));
}

/* Writes the sentence of a page of nights, and the line below. */
static void write_tracked(struct page *p)
{
	const struct track_counts c = p->groups.counts;
	struct sentence s = {.out = p->out, .noun = "kernel"};

	buf_add_str(p->out, "<p class=\"verdict\">");
	for (enum track_verdict v = 0; v < TRACK_VERDICT_COUNT; v++)
		add_verdict(&s, &c, v);
	buf_add_str(p->out, s.parts ? ".</p>\n" : "Nothing changed.</p>\n");
	write_span(p);
	if (page_findings_count_fresh(p))
		buf_add_str(p->out, " · what is new tonight is marked ●");
	if (c.acknowledged)
		buf_print(p->out, " · %zu acknowledged", c.acknowledged);
	if (c.n_short)
		buf_print(p->out, " · too few runs to judge %zu histor%s (%d are needed)",
			  c.n_short, c.n_short == 1 ? "y" : "ies", CHANGEPOINT_POINTS);
	if (c.metrics[TRACK_REGRESSION]) { /* metrics are no kernels: the sentence leaves them out
					    */
		buf_print(p->out, " · %zu metric%s worse, named by ", c.metrics[TRACK_REGRESSION],
			  c.metrics[TRACK_REGRESSION] == 1 ? "" : "s");
		html_copy(p->out, page_print_command(p, "track"));
	}
	buf_add_str(p->out, "</p>\n");
}

static void write_nothing(const struct db_overview *o, struct buf *out)
{
	if (o->runs == 0)
		buf_add_str(out, "<p class=\"verdict\">Nothing was measured yet: the database "
				 "holds no measured run.</p>\n");
	else if (o->ok_trials > 0)
		buf_print(out,
			  "<p class=\"verdict warn\">No result stands: %" PRId64 " of %" PRId64
			  " trial%s passed, and none is of today's sources without having failed "
			  "since.</p>\n",
			  o->ok_trials, o->trials, o->trials == 1 ? "" : "s");
	else
		buf_print(out,
			  "<p class=\"verdict bad\">No run measured anything: of %" PRId64
			  " trial%s in %" PRId64 " run%s none passed.</p>\n",
			  o->trials, o->trials == 1 ? "" : "s", o->runs, o->runs == 1 ? "" : "s");
}

/* ---- banners ---- */

/* Writes the banner of a busy machine if more than a fifth of the newest runs' samples were
 * disturbed: one in twenty is usual, and medians bear as many. */
static void write_busy(struct page *p)
{
	int64_t samples = 0, disturbed = 0;
	const struct page_kernel *worst = NULL;

	for (size_t i = 0; i < p->n_kernels; i++) {
		const struct page_kernel *k = &p->kernels[i];

		samples += k->run.samples;
		disturbed += k->run.disturbed;
		/* The largest share; products in the place of quotients, of which one may be 0/0.
		 */
		if (k->run.disturbed > 0 &&
		    (!worst ||
		     k->run.disturbed * worst->run.samples > worst->run.disturbed * k->run.samples))
			worst = k;
	}
	if (!worst || 5 * disturbed <= samples)
		return;
	buf_print(p->out,
		  "<p class=\"banner\"><strong>The machine was busy:</strong> %.0f %% of the "
		  "samples of the newest runs were taken beside other load or at a low clock. "
		  "Small differences mean little here. ",
		  100.0 * (double)disturbed / (double)samples);
	/* A history is made of nights: a run beside them would become a point of it. */
	if (p->tracks) {
		buf_add_str(p->out, "Measure the next night when it is quiet.</p>\n");
		return;
	}
	buf_add_str(p->out, "Tune again when it is quiet: ");
	page_kernel_write_command(p, worst, NULL, p->out);
	buf_add_str(p->out, "</p>\n");
}

static void write_missing(struct page *p)
{
	if (p->plotter->program)
		return;
	buf_add_str(p->out,
		    "<p class=\"banner\"><strong>The large pictures are missing:</strong> ");
	html_text(p->out, p->plotter->reason);
	buf_add_str(p->out, ". Their data stand in tables.");
	if (p->plotter->remedy)
		buf_print(
			p->out,
			" To have them, on Debian and Ubuntu: <code class=\"copy\">%s</code>, then "
			"make the page again.",
			p->plotter->remedy);
	buf_add_str(p->out, "</p>\n");
}

enum asc_status page_write_verdict(struct page *p, struct asc_err *e)
{
	struct db_overview o;
	enum asc_status status = db_find_overview(p->db, &o, e);

	if (status == ASC_OK)
		status = write_where(p, &o, e);
	if (status != ASC_OK)
		return status;
	if (p->tracks)
		write_tracked(p);
	else if (p->n_best > 0)
		write_tuned(p);
	else
		write_nothing(&o, p->out);
	write_busy(p);
	write_missing(p);
	return ASC_OK;
}

/* ---- a comparison ---- */

/* Device of a pair on a side, without its kind. */
static const char *device_on(const struct track_pair *x, int side)
{
	return side == TRACK_BASE ? x->base_device : x->change.device;
}

static const char *name_file(const struct track_side *s)
{
	/* The name of a device may have a slash, which separates no folder. */
	const char *slash = s->choice.device ? NULL : strrchr(s->name, '/');

	return slash && slash[1] ? slash + 1 : s->name;
}

/* Names a side, a file without its folder unless both are called so. */
static const char *name_side(const struct track_side *sides, int side)
{
	const char *base = name_file(&sides[TRACK_BASE]),
		   *against = name_file(&sides[TRACK_AGAINST]);

	if (strcmp(base, against) == 0)
		return sides[side].name;
	return side == TRACK_BASE ? base : against;
}

/* Writes what a side is: its choice, the days of its runs, and its device where that is one. */
static void write_side(struct page *p, int side)
{
	const struct track_comparison *c = p->request->comparison;
	int64_t first = INT64_MAX, last = 0;
	bool one = true;
	char day[NUMBER_TEXT_SIZE];

	for (size_t i = 0; i < c->n; i++) {
		const struct track_pair *x = &c->pairs[i];
		/* A broken kernel has no point on that side, but a newest run. */
		const int64_t ms = side == TRACK_AGAINST && x->change.broken
					   ? x->change.newest_ms
					   : x->points[side].started_ms;

		first = ms < first ? ms : first;
		last = ms > last ? ms : last;
		one &= strcmp(device_on(x, side), device_on(c->pairs, side)) == 0;
	}
	buf_add_str(p->out, side == TRACK_BASE ? "base <strong>" : " · against <strong>");
	const char *name = name_side(p->request->sides, side);
	const char *from = page_print(p, "%s", number_print_day(first, day));

	html_name(p->out, name, 80);
	buf_add_str(p->out, "</strong>");
	if (strcmp(from, name) != 0)
		buf_print(p->out, ", measured %s", from);
	if (strcmp(from, number_print_day(last, day)) != 0)
		buf_print(p->out, " to %s", day);
	if (one) {
		buf_add_str(p->out, ", ");
		html_name(p->out, device_on(c->pairs, side), 80);
	}
}

static void write_other_devices(const struct track_comparison *c, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->pairs[i].other_device;
	if (n == 0)
		return;
	buf_print(out,
		  "<p class=\"banner\"><strong>Different devices:</strong> %zu of %zu kernels were "
		  "measured on one device in the base and on another one against it. How much they "
		  "differ says nothing about a change of their source.</p>\n",
		  n, c->n);
}

enum asc_status page_write_compared(struct page *p, struct asc_err *e)
{
	const struct track_comparison *c = p->request->comparison;
	struct track_counts counts = {.reasons = 0};
	struct sentence s = {.out = p->out, .noun = "kernel"};

	(void)e;
	for (size_t i = 0; i < c->n; i++)
		track_counts_add(&counts, &c->pairs[i].change);
	counts.reasons = counts.of[TRACK_REGRESSION];
	buf_add_str(p->out, "<h1>asctune · ");
	write_side(p, TRACK_BASE);
	write_side(p, TRACK_AGAINST);
	buf_add_str(p->out, "</h1>\n<p class=\"verdict\">");
	for (enum track_verdict v = TRACK_BROKEN; v <= TRACK_IMPROVEMENT; v++)
		add_verdict(&s, &counts, v);
	add_count(&s, counts.of[TRACK_UNCHANGED] + counts.of[TRACK_UNDECIDED], "", "within noise",
		  "within noise");
	buf_print(p->out, "%s.</p>\n<p class=\"meta\">%zu compared",
		  s.parts ? "" : "Baselines alone are compared", c->n);
	if (counts.baselines)
		buf_print(p->out, " · %zu baseline%s not counted", counts.baselines,
			  counts.baselines == 1 ? "" : "s");
	if (c->n_others)
		buf_print(p->out, " · <a href=\"#others\">%zu not compared</a>", c->n_others);
	buf_add_str(p->out, "</p>\n");
	write_other_devices(c, p->out);
	return ASC_OK;
}
